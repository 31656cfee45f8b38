import { expect, it } from 'vitest';
import { secondOf } from '../../src/domain/in-words.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { allWell, runEverySeconds } from '../wiring/five-places.js';

const database = useFreshDatabase();

it('what is not here is recovered from Overview and from the page of its alert, also once that is over', async () => {
  const { db } = database;
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const swallowed = [5, 4, 3].map((minutes) => ({
    id: `wd_${minutes}`,
    class: 'phantom',
    ours: true,
    missed: false,
    open: true,
    payload: '{}',
    created_at: at(minutes),
    poll_from: 1,
    poll_ref: 'run',
  }));
  const came = { ...swallowed[0], id: 'wd_1', class: 'received', open: false, payload: null, created_at: at(1) };
  await db('deliveries').insert([...swallowed, came]);
  const [{ id }] = await db('alerts')
    .insert({
      name: 'TallyhookInvalidSignatures',
      subject: '',
      severity: 'critical',
      summary: 'Webhooks are rejected for their signature',
      detail: '12 in the last hour.',
      remedy: 'Put the secret right.',
      since: at(60),
      seen_at: at(30),
      fired_at: at(60),
      resolved_at: at(28),
    })
    .returning('id');
  const operator = await visit(testConsole(db).app, 'operator');
  const overview = await operator.get('/');
  expect(overview.main).toContain('Recover 3…');
  expect(overview.text).toContain('Recover them: “tallyhook deliveries recover --since');
  expect(overview.text).not.toContain('Look at what else answers');
  const over = await operator.get(`/alerts/${id}`);
  expect(over.heading).toContain('Webhooks were rejected for their signature');
  expect(over.main).toContain('Recover 3…');
  expect(over.text).toMatch(/Recover what is not here: “tallyhook deliveries recover --since [^”]+” takes in 3\./);
  expect(over.text).not.toContain('Put the secret right');

  // One is recovered and not applied yet, of one nothing is shown.
  const more = { ...swallowed[0], missed: true };
  await db('deliveries').insert([
    { ...more, id: 'wd_7', inbox_id: 7 },
    { ...more, id: 'wd_8', payload: null },
  ]);
  const some = await (await visit(testConsole(db).app, 'operator')).get('/deliveries');
  expect(some.main).toContain('Recover 3 of 5…');
  expect(some.text).toContain('Of the others: 1 is recovered and not applied yet; of 1 the service shows no payload,');
  expect(some.text).toContain('2 missed, 3 not overdue yet');

  await db('deliveries').update({ open: false, missed: false });
  const done = await (await visit(testConsole(db).app, 'operator')).get(`/alerts/${id}`);
  expect(done.main).not.toContain('Recover');
  expect(done.text).toContain('What to do first Nothing.');
});

it('after a wrong secret: what failed and is tried again is counted, dated and recovered alike wherever it stands', async () => {
  const { db } = database;
  await allWell(db);
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const tried = {
    class: 'pending_retry',
    ours: true,
    missed: false,
    open: true,
    payload: '{}',
    poll_from: 1,
    poll_ref: 'run',
  };
  const [first, newest] = [at(2), at(1)];
  await db('deliveries').insert([
    { ...tried, id: 'wd_2', created_at: first },
    { ...tried, id: 'wd_1', created_at: newest },
  ]);
  await saveRejections(db, [], [{ minute: at(3), reason: 'invalid_signature', count: 9, likeService: 9 }]);
  await db('secrets').insert({ label: 'live', fingerprint: 'f', first_match_at: at(90), last_match_at: new Date() });
  const operator = await visit(testConsole(db, { runEverySeconds }).app, 'operator');
  const overview = await operator.get('/');
  expect(overview.text).toContain('Webhooks were rejected for their signature, none since one was right: 9');
  expect(overview.text).toMatch(/Recover what was rejected: “tallyhook deliveries recover --since [^”]+” takes in 2\./);
  expect(overview.main).toContain('Recover 2…');
  expect(overview.text).not.toContain('Go to rejections');

  const { main, text } = await operator.get('/deliveries');
  expect(main).toContain('Recover 2…');
  const tile = (label: string) => new RegExp(`${label}</a></p>\\s*<p class="tile-value">(\\d+)<`).exec(main)?.[1];
  expect(['Not here', 'Missed', 'Rejected by us', 'On its way'].map(tile)).toEqual(['2', '0', '0', '2']);
  const said = (label: string, sent: Date) => `${label} that is not here sent ${secondOf(sent.toISOString())} UTC`;
  expect(text).toContain(said('First', first));
  expect(text).toContain(said('Newest', newest));
});
