import { beforeAll, expect, test } from 'vitest';
import {
  cameAmong,
  deliveredAmong,
  knownOfTypes,
  openNever,
  paymentsShown,
  watchedEndpoints,
} from '../../src/records/deliveries/generated-events.js';
import { useDatabase } from '../support/database.js';
import { plansOf, queriesOf } from '../support/query-plans.js';

const TYPE = 'payment_intent.completed';
const asked = [{ id: 'pi_19990', eventType: TYPE }];
const database = useDatabase();

beforeAll(async () => {
  const { db } = database;
  await db.raw(
    `INSERT INTO changes (entity_kind, entity_id, field, to_value, source_type, source_ref, service_time, changed_at)
     SELECT CASE WHEN n % 4 = 0 THEN 'payment_intent' ELSE 'payin' END, 'pi_' || n, 'status', '"completed"', 'poll', '1',
            now() - interval '1 hour', now() - interval '1 hour' FROM generate_series(1, 60000) AS n`,
  );
  await db.raw(
    `INSERT INTO payment_intents (id, status, created_at, claims, shown, verified, observed_at, observed_by_type, observed_by_ref)
     SELECT 'pi_' || n, 'completed', now() - interval '2 hours', '[]', '{}', true, now(), 'poll', '1' FROM generate_series(1, 60000) AS n`,
  );
  await db.raw(
    `INSERT INTO deliveries (id, event_type, payment_intent_id, created_at, ours, class, poll_from, poll_ref)
     SELECT 'd' || n, CASE WHEN n % 2 = 0 THEN '${TYPE}' ELSE 'payout.failed' END, CASE WHEN n % 3 > 0 THEN 'pi_' || n END,
            now() - n * interval '1 second', true, 'received', 1, '1' FROM generate_series(1, 20000) AS n`,
  );
  await db.raw(
    `INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, source)
     SELECT 'k' || n, 'id', 'c' || n, CASE WHEN n = 7 THEN '${TYPE}' ELSE 'payout.failed' END, 1, 'webhook' FROM generate_series(1, 20000) AS n`,
  );
  await db.raw('VACUUM ANALYZE');
});

test('what is compared with the history is found by indexes, and a stretch of changes by its place', async () => {
  const { db, url } = database;
  const [since, until] = [new Date(Date.now() - 7_200_000), new Date()];
  const stretch = { after: '59800', since, until, shownUntil: until, generated: { [TYPE]: ['completed'] } };
  const { sent, result } = await queriesOf(db, () => paymentsShown(db, stretch));
  expect(result).toMatchObject({ last: '60000', isFull: false });
  expect(result.payments).toHaveLength(50);
  // In a statement before: one that began earlier may lack a change that has its place by then, and it would be asked for each row.
  const asking = sent.filter(({ sql }) => sql.includes('changes_settled_up_to'));
  expect(asking.map(({ sql }) => sql)).toEqual(['SELECT changes_settled_up_to() AS seq']);
  const { sent: more } = await queriesOf(db, async () => {
    expect(await deliveredAmong(db, asked)).toEqual(new Set([`pi_19990 ${TYPE}`]));
    expect(await cameAmong(db, asked)).toEqual(new Set());
    const { unnamed, usual } = await knownOfTypes(db, [TYPE, 'payment_intent.unheard']);
    expect([...unnamed.keys()]).toEqual([TYPE]);
    expect([...usual]).toEqual([TYPE]);
    expect(await watchedEndpoints(db)).toEqual([]);
    expect(await openNever(db, { after: '', limit: 500 })).toEqual([]);
  });
  const plan = await plansOf(url, [...sent, ...more]);
  for (const index of ['changes_pkey', 'deliveries_by_payment', 'deliveries_unnamed', 'inbox_by_type'])
    expect(plan).toContain(index);
  expect(plan).not.toMatch(/Seq Scan on (changes|payment_intents|deliveries|inbox)\b/);
});

test('a change that is too young ends the stretch, one from before the week or of another state is passed over', async () => {
  const { db } = database;
  const generated = { [TYPE]: ['completed'] };
  const week = { since: new Date(Date.now() - 1_000), until: new Date(), shownUntil: new Date(), generated };
  expect(await paymentsShown(db, { ...week, after: '59800' })).toEqual({ last: '60000', isFull: false, payments: [] });
  const young = { ...week, since: new Date(0), until: new Date(Date.now() - 7_200_000) };
  expect(await paymentsShown(db, { ...young, after: '59800' })).toEqual({ last: null, isFull: false, payments: [] });
  const unread = { ...week, since: new Date(0), shownUntil: new Date(Date.now() - 7_200_000) };
  expect((await paymentsShown(db, { ...unread, after: '59801' })).last).toBe('59803');
  const other = { ...week, since: new Date(0), generated: { 'payment_intent.expired': ['expired'] } };
  expect((await paymentsShown(db, { ...other, after: '59800' })).payments).toEqual([]);
  expect(await paymentsShown(db, { ...week, since: new Date(0), after: '0' })).toMatchObject({
    last: '20000',
    isFull: true,
  });
});
