import { beforeEach, expect, test } from 'vitest';
import { addCallCounts, countMonth, readScorecard } from '../../src/records/scorecard/scorecard.js';
import { useFreshDatabase } from '../support/database.js';
import { plansOf, queriesOf } from '../support/query-plans.js';

const database = useFreshDatabase();
const settings = { timeZone: 'Europe/Athens', graceMs: 900_000, keyDays: 400 };
/** Of the zone, the first of October begins at nine in the evening of the day before. */
const at = (text: string) => new Date(`2026-${text}Z`);
const now = at('11-10T00:00:00');
const TYPE = 'payment_intent.completed';

let made = 0;
async function event(
  received: Date,
  more: { made?: Date; arrivals?: number; mark?: string; source?: string; type?: string } = {},
) {
  made += 1;
  const { made: madeAt = received, arrivals = 1, mark = null, source = 'webhook', type = TYPE } = more;
  const [row] = await database
    .db('inbox')
    .insert({
      key: `k${made}`,
      key_type: 'id',
      content_hash: `c${made}`,
      event_type: type,
      event_timestamp: madeAt.getTime() / 1_000,
      source,
      secret_label: source === 'webhook' ? 'live' : null,
      mark,
      arrivals,
      received_at: received,
    })
    .returning('id');
  return row.id as string;
}

async function delivery(created: Date, kind: string, more: object = {}) {
  made += 1;
  await database.db('deliveries').insert({
    id: `d${made}`,
    event_type: TYPE,
    created_at: created,
    ours: kind !== 'other_endpoint',
    class: kind,
    event_key: `e${made}`,
    poll_from: '1',
    poll_ref: '1',
    ...more,
  });
}

async function card(month = '2026-10', asked = now) {
  await countMonth(database.db, month, asked, settings);
  return readScorecard(database.db, month, asked, settings.timeZone);
}

beforeEach(async () => {
  await database
    .db('installation')
    .insert({ adopted_at: at('09-01T00:00:00'), service_base_url: 'https://x' })
    .onConflict()
    .ignore();
  await database.db('watermarks').insert({
    kind: 'deliveries',
    name: 'mark',
    value: JSON.stringify({ at: 0, from: at('10-02T21:00:00').getTime(), readAt: now.getTime() }),
  });
});

test('each event of the month counts once, under what became of it', async () => {
  const { db } = database;
  await event(at('09-30T20:59:59'));
  const first = await event(at('09-30T21:00:00'));
  await event(at('10-05T10:00:00'), { mark: 'trigger' });
  const twice = await event(at('10-05T10:00:00'), { arrivals: 2 });
  await db('inbox_repeats').insert({ inbox_id: twice, secret_label: 'live', arrivals: 1, first_at: now, last_at: now });
  const both = await event(at('10-05T11:00:00'), { arrivals: 2 });
  await db('inbox_repeats').insert({ inbox_id: both, secret_label: 'other', arrivals: 1, first_at: now, last_at: now });
  await event(at('10-06T12:00:00'), { made: at('10-06T11:00:00') });
  await event(at('10-07T12:00:00'));
  await event(at('10-07T12:00:10'), { made: at('10-07T11:59:50') });
  const forged = await event(at('10-08T12:00:00'));
  await db('report_checks').insert({ inbox_id: forged, secret_label: 'live', received_at: now, state: 'not_sent' });
  await delivery(at('09-30T21:00:00'), 'received', { inbox_id: first });
  const recovered = await event(at('10-20T00:00:00'), { source: 'delivery_history' });
  await event(at('10-31T21:59:59'));
  await event(at('10-31T22:00:00'));
  await delivery(at('10-19T00:00:00'), 'never_reached', { inbox_id: recovered, event_key: 'same' });
  await delivery(at('10-19T00:00:01'), 'phantom', { event_key: 'same' });
  await delivery(at('10-20T23:00:00'), 'never_reached', { event_key: 'same' });
  await delivery(at('10-19T00:00:00'), 'rejected');
  await delivery(at('10-19T00:00:00'), 'pending_retry');
  await delivery(at('10-19T00:00:00'), 'other_endpoint');
  const never = { kind: 'event_never_generated', severity: 'medium', entity_kind: 'payment_intent', evidence: '{}' };
  await db('breaks').insert([
    { ...never, entity_id: 'pi_1', cause: `${TYPE} completed`, opened_at: at('10-09T00:00:00'), status: 'resolved' },
    {
      ...never,
      entity_id: 'pi_2',
      cause: `${TYPE} completed`,
      opened_at: at('10-09T00:00:00'),
      status: 'auto_resolved',
    },
  ]);
  const { events, byType, days, notes } = await card();
  expect(events).toEqual({
    expected: 11,
    received: 4,
    doubled: 1,
    out_of_order: 1,
    late: 1,
    under_way: 1,
    rejected: 1,
    missed: 1,
    never_generated: 1,
    not_sent: 1,
  });
  expect(byType).toMatchObject([
    { eventType: TYPE, expected: 11, p50Ms: expect.any(Number), p99Ms: expect.any(Number) },
  ]);
  expect(byType[0]?.p99Ms).toBeGreaterThanOrEqual(3_600_000);
  expect(days).toEqual({ counted: 31, of: 31, withHistory: 29 });
  expect(notes).toContainEqual(expect.stringContaining('not read completely for 2 days'));
});

test('a day is counted again until nothing of it can change, and never where its events are gone', async () => {
  const { db } = database;
  await event(at('10-10T12:00:00'));
  await event(at('10-30T12:00:00'));
  expect((await card('2026-10', at('11-01T12:00:00'))).byType).toMatchObject([{ eventType: TYPE, received: 2 }]);
  await db('inbox').update({ event_type: 'payout.failed' });
  expect((await card('2026-10', at('11-02T12:00:00'))).byType).toMatchObject([
    { eventType: TYPE, received: 1 },
    { eventType: 'payout.failed', received: 1 },
  ]);
  expect(await countMonth(db, '2026-10', at('11-20T12:00:00'), settings)).toBe(3);
  expect(await countMonth(db, '2026-10', at('11-20T13:00:00'), settings)).toBe(0);
  const gone = await countMonth(db, '2026-09', at('11-20T12:00:00'), { ...settings, keyDays: 52 });
  expect(gone).toBe(1);
  const september = await readScorecard(db, '2026-09', now, settings.timeZone);
  expect(september.days).toMatchObject({ counted: 1, of: 30 });
  expect(september.notes).toContainEqual(expect.stringContaining('29 days of 30 not counted'));
  expect(september.notes).toContainEqual(expect.stringContaining('adoption'));
});

test('its API: attempts by how they ended, and what share was answered', async () => {
  const { db } = database;
  const hour = at('10-05T10:00:00');
  const counts = { answered: 990, refused: 4, limited: 1, failed: 3, no_answer: 2 } as const;
  const one = Object.entries(counts).map(([outcome, count]) => ({
    hour,
    operation: 'getBalance',
    outcome: outcome as keyof typeof counts,
    count,
  }));
  await addCallCounts(db, one);
  await addCallCounts(db, [{ hour, operation: 'listInvoices', outcome: 'answered', count: 1 }]);
  await addCallCounts(db, [{ hour, operation: 'listInvoices', outcome: 'answered', count: 1 }]);
  await db('rejection_counts').insert({ hour, reason: 'invalid_signature', count: 7 });
  const { api, rejectedRequests } = await card();
  expect(api).toMatchObject({ ...counts, answered: 992, availability: '99.50' });
  expect(api.byOperation).toMatchObject([
    { operation: 'getBalance', ...counts, availability: '99.50' },
    { operation: 'listInvoices', answered: 2, availability: '100.00' },
  ]);
  expect(rejectedRequests).toEqual([{ reason: 'invalid_signature', requests: 7 }]);
});

test('a month that has not begun, and one of which nothing is known, say so', async () => {
  expect(await card('2027-01')).toMatchObject({ countedAt: null, notes: ['The month has not begun.'] });
  expect(await readScorecard(database.db, '2026-10', now, settings.timeZone)).toMatchObject({
    countedAt: null,
    days: { counted: 0, of: 31 },
    api: { availability: null },
    notes: [expect.stringContaining('31 days of 31 not counted')],
  });
});

test('a day reads its own events by indexes, and not the others', async () => {
  const { db, url } = database;
  await db.raw(
    `INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, source, secret_label, received_at)
     SELECT 'm' || n, 'id', 'm' || n, '${TYPE}', extract(epoch FROM at), 'webhook', 'live', at
     FROM generate_series(1, 40000) AS n, LATERAL (SELECT timestamptz '2026-10-01' + n * interval '1 minute' AS at) AS t`,
  );
  await db.raw(
    `INSERT INTO deliveries (id, event_type, created_at, ours, class, inbox_id, poll_from, poll_ref)
     SELECT 'm' || id, event_type, received_at, true, CASE WHEN id % 20 = 0 THEN 'never_reached' ELSE 'received' END, id, 1, '1' FROM inbox`,
  );
  await db.raw('VACUUM ANALYZE inbox, deliveries');
  const { sent } = await queriesOf(db, () => countMonth(db, '2026-10', at('10-03T12:00:00'), settings));
  const own = sent.filter(({ sql }) => /FROM (inbox|deliveries)/.test(sql) && !sql.includes('RECURSIVE'));
  const plan = await plansOf(url, own.slice(0, 60));
  expect(plan).toContain('inbox_pkey');
  expect(plan).toContain('deliveries_by_class');
  expect(plan).not.toMatch(/Seq Scan on (inbox|deliveries)\b/);
});
