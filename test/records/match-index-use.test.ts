import type { Knex } from 'knex';
import { beforeAll, expect, test } from 'vitest';
import { monthTotals } from '../../src/records/books/account-totals.js';
import { listMatches, matchSummary } from '../../src/records/books/match/list-matches.js';
import { loadMatchFacts } from '../../src/records/books/match/load-match-facts.js';
import { heldBy, invoicesAlone, ownersOfPayments } from '../../src/records/books/match/match-owners.js';
import { matchBehind } from '../../src/records/books/match/match-progress.js';
import { monthRows } from '../../src/records/books/month-query.js';
import {
  monthFees,
  monthOrders,
  monthPayins,
  monthPayments,
  monthPayouts,
} from '../../src/records/books/month-rows.js';
import { unpricedLines } from '../../src/records/books/period-facts.js';
import { orderedKinds, relatedOrders, relatedPayments } from '../../src/records/family/shown-records.js';
import { useDatabase } from '../support/database.js';
import { plansOf as explained, queriesOf } from '../support/query-plans.js';

const ROWS = 6_000;
const WIDE =
  /Seq Scan on (matches|match_amounts|match_payments|payment_intents|invoices|orders|payins|payouts|movements|entries|entry_lines|changes|payin_listings|refund_assignments)\b/;
/** An index that is read whole. */
const BY_NO_KEY = /Index (Only )?Scan using [^\n]+\n(?!\s*Index Cond)/;
const day = { today: '2026-03-31', timeZone: 'UTC' };

const database = useDatabase();
beforeAll(async () => {
  const { db } = database;
  const state = `CASE WHEN n % 500 = 0 THEN 'unmatched' WHEN n % 300 = 0 THEN 'partly_matched' ELSE 'matched' END`;
  const opened = `'2025-01-01'::timestamptz + n * interval '30 minutes'`;
  await db.raw(
    `INSERT INTO matches (kind, id, state, reason, reasons, opened_at, opened_on)
     SELECT 'order', 'o' || n, ${state}, 'r' || n % 9, '[]', ${opened}, (${opened})::date FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO match_amounts (kind, id, code, state, opened_at, asked, paid, returned, booked, value, unpriced)
     SELECT kind, id, 'A' || length(id), state, opened_at, 1, 1, 0, 1, 1, 0 FROM matches`,
  );
  await db.raw(
    `INSERT INTO match_payments (payment_id, kind, id) SELECT 'p' || n, 'order', 'o' || n FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO orders (reference, status, payment_intents, release_safe, release_reason, registered_at)
     SELECT 'o' || n, 'paid', ARRAY['p' || n], false, 'x', '2025-01-01' FROM generate_series(1, ${ROWS}) AS n`,
  );
  const common = `'[]', '{"id": "x", "payins": [{"id": "d5"}]}', true, now(), 'poll', 'run'`;
  const columns = 'claims, shown, verified, observed_at, observed_by_type, observed_by_ref';
  await db.raw(
    `INSERT INTO payment_intents (id, merchant_reference, invoice_id, irregular_refund_payout_id, ${columns})
     SELECT 'p' || n, CASE WHEN n % 3 > 0 THEN 'o' || n END, CASE WHEN n % 2 = 0 THEN 'd' || n END, 'd' || n, ${common} FROM generate_series(1, ${ROWS}) AS n`,
  );
  for (const table of ['payins', 'payouts', 'invoices'])
    await db.raw(
      `INSERT INTO ${table} (id, payment_intent_id, ${columns})
       SELECT 'd' || n, 'p' || n, ${common} FROM generate_series(1, ${ROWS}) AS n`,
    );
  await db.raw(`UPDATE invoices SET merchant_reference = 'o' || substr(id, 2) WHERE id LIKE '%5'`);
  await db.raw(
    `INSERT INTO payin_listings (payin_id, intent_id) SELECT 'd' || n, 'p' || n FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO refund_assignments (payout_id, payment_intent_id, note, actor)
     SELECT 'd' || n, 'p' || n, 'why', 'a person' FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO movements (record_kind, record_id, line, part, operation, asset_code, delta, moved_from)
     SELECT 'payment_intent', 'p' || n, 0, 'explained', 'paymentCollected', 'A1', 1, n FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.raw(
    `INSERT INTO changes (entity_kind, entity_id, field, source_type, source_ref)
     SELECT 'order', 'o' || n, 'status', 'poll', '1' FROM generate_series(1, ${ROWS}) AS n`,
  );
  await db.transaction(async (trx) => {
    await trx.raw(
      `INSERT INTO entries (record_kind, record_id, key, version, type, month, date, at, day, dated_by, description, sources, written)
       SELECT 'payment_intent', 'p' || n, 'payment', 1, 'entry', to_char(day, 'YYYY-MM'), day, now(), day, 'created', 'x', '[]', 1
       FROM generate_series(1, ${ROWS} / 4) AS n, make_date(2026, 1 + n % 12, 1) AS day`,
    );
    await trx.raw(
      `INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
       SELECT id, line, account, 'A1', amount FROM entries, (VALUES (0, 'assets:operating', 1), (1, 'income:payments', -1))
         AS legs (line, account, amount)`,
    );
  });
  await db.raw('VACUUM ANALYZE');
}, 240_000);

/** How the database would answer each statement that `work` sends. */
async function plansOf(work: (trx: Knex.Transaction) => Promise<unknown>): Promise<string> {
  const { sent } = await queriesOf(database.db, () => database.db.transaction(work));
  const read = sent.map(({ sql, bindings }) => ({
    sql: sql.replace(/^DECLARE \w+ NO SCROLL CURSOR FOR/, ''),
    bindings,
  }));
  return explained(
    database.url,
    read.filter(({ sql }) => /^\s*(SELECT|WITH)/i.test(sql)),
  );
}

test('pages of the match, whatever is asked for, are found without reading all of it', async () => {
  const [first] = (await listMatches(database.db, { take: 1 }, day)).items;
  expect(first).toMatchObject({ kind: 'order', id: `o${ROWS}` });
  const { nextCursor } = await listMatches(database.db, { open: true, take: 1 }, day);
  for (const query of [
    {},
    { open: true },
    { open: true, cursor: nextCursor ?? '' },
    { state: 'unmatched', age: '61-90' },
    { state: 'matched', assetCode: 'A5' },
    { open: true, reason: 'underpaid', assetCode: 'A5' },
    { reason: 'underpaid', assetCode: 'A5' },
  ] as const) {
    expect(await plansOf((trx) => listMatches(trx, query, day)), JSON.stringify(query)).not.toMatch(WIDE);
  }
  expect(await plansOf((trx) => matchSummary(trx, day))).not.toMatch(WIDE);
  expect(await plansOf(matchBehind)).not.toMatch(WIDE);
  expect(await plansOf((trx) => monthTotals(trx, { month: '2026-03', currency: 'USD' }))).not.toMatch(WIDE);
});

test('so is what one order, or one payment, is matched by', async () => {
  const units = [
    { kind: 'order', id: 'o5' },
    { kind: 'payment_intent', id: 'p6' },
    { kind: 'invoice', id: 'd7' },
  ] as const;
  const plans = await plansOf(async (trx) => {
    expect((await loadMatchFacts(trx, units, { currency: 'USD' })).size).toBeGreaterThan(0);
    await ownersOfPayments(trx, ['p5', 'p6']);
    await heldBy(trx, ['p5']);
    await invoicesAlone(trx, ['d7', 'd8']);
  });
  expect(plans).not.toMatch(WIDE);
});

test('so are the payments and orders that records of each kind belong to', async () => {
  for (const kind of orderedKinds) {
    const [one, other] = kind === 'payment_intent' ? ['p5', 'p6'] : ['d5', 'd6'];
    const plans = await plansOf(async (trx) => {
      expect([...(await relatedOrders(trx, kind, [one, other]))]).toEqual([[one, ['o5']]]);
      const asked = [{ kind, id: other }] as const;
      expect(new Set(asked.flatMap(await relatedPayments(trx, asked)))).toEqual(new Set(['p6']));
    });
    expect(plans, kind).not.toMatch(WIDE);
    expect(plans, kind).not.toMatch(BY_NO_KEY);
  }
});

test('so are the records of a month, however many there are of others', async () => {
  const about = { month: '2026-03', from: new Date('2026-03-01'), to: new Date('2026-04-01'), currency: 'USD' };
  const queries = { monthOrders, monthPayments, monthPayouts, monthPayins, monthFees };
  for (const [name, sql] of Object.entries(queries)) {
    const plans = await plansOf(async (trx) => {
      for await (const _ of monthRows(trx, sql, { ...about, refundWords: ['refund'] })) return;
    });
    expect(plans, name).not.toMatch(WIDE);
  }
  expect(await plansOf((trx) => unpricedLines(trx, '2026-03', 'USD'))).not.toMatch(WIDE);
});
