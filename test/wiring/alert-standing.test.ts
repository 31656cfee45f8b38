import { beforeEach, expect, test } from 'vitest';
import { checkAlerts } from '../../src/notify/alert-loop.js';
import { alertDeps } from '../notify/alert-deps.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';
import { deliver, reject } from './fault-steps.js';
import { allWell, runEverySeconds } from './five-places.js';

const database = useFreshDatabase();
const run = useShell(database);
beforeEach(() => allWell(database.db));

const CAUSE = 'Webhooks are rejected for their signature';
const EFFECT = 'Deliveries of the service are missing here';

test('an alert says what it follows from, and its cause what comes with it, on the pages and in the commands', async () => {
  const { db } = database;
  await reject(db, 'invalid_signature', 100, 100);
  await deliver(db, 'rejected', 7, true);
  const asked = { ...alertDeps(db, () => new Date()), runEverySeconds };
  await checkAlerts({ ...asked, now: () => new Date(Date.now() - 180_000) });
  await checkAlerts(asked);
  const ids = new Map((await db('alerts').select('name', 'id')).map(({ name, id }) => [name, String(id)]));
  const [cause, effect] = [ids.get('TallyhookInvalidSignatures'), ids.get('TallyhookMissedDeliveries')];

  const { app } = testConsole(db, { runEverySeconds });
  const operator = await visit(app, 'operator');
  const list = await operator.get('/alerts');
  const page = await operator.get(`/alerts/${effect}`);
  for (const { text, main } of [list, page]) {
    expect(text).toContain(`follows from: ${CAUSE}`);
    expect(main).toMatch(new RegExp(`follows from: .*<a [^>]*href="/alerts/${cause}"`));
  }
  for (const { text } of [list, await operator.get(`/alerts/${cause}`)]) expect(text).toContain(`with it: ${EFFECT}`);

  const { items } = (await run('alerts', 'list', '--json')).json as { items: object[] };
  expect(items).toMatchObject([
    { name: 'TallyhookInvalidSignatures', followsFrom: null, withIt: expect.arrayContaining([EFFECT]) as string[] },
    { name: 'TallyhookMissedDeliveries', followsFrom: CAUSE, withIt: [] },
  ]);
  expect((await run('alerts', 'list')).stdout).toContain(`${EFFECT}; follows from: ${CAUSE}`);
  expect((await run('alerts', 'show', effect ?? '')).stdout).toMatch(new RegExp(`follows from +${CAUSE}`));

  await db('alerts').update({ resolved_at: new Date() });
  expect((await operator.get(`/alerts/${effect}`)).text).not.toContain('follows from');
  expect((await run('alerts', 'show', effect ?? '', '--json')).json).toMatchObject({ followsFrom: null, withIt: [] });
});
