import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../src/metrics.js';
import { applyEvents } from '../../src/webhook/apply-events.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents, type TestEvent } from '../support/events.js';
import { absence, at, poll, readPaid } from '../support/observations.js';
import { queriesOf } from '../support/query-plans.js';
import { save } from '../support/saved.js';

const database = useDatabase();
let planner: pg.Client;

beforeAll(async () => {
  planner = new pg.Client({ connectionString: database.url });
  await planner.connect();
  await planner.query('SET enable_seqscan = off');
});
afterAll(() => planner.end());

/** One row, or a few: they are meant to be read whole. */
const SMALL = /Scan (on|using \w+ on) (personal_key|watermarks)\b/;
const SCAN = /(Seq|Index|Index Only) Scan\b/;

/** Lines of the plan that read a table or an index whole; the plan is one for whatever the parameters are. */
async function readWhole(sql: string): Promise<string[]> {
  const { rows } = await planner.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${sql}`);
  const lines = rows.map((row) => row['QUERY PLAN'].trim());
  return lines.filter((line, n) => SCAN.test(line) && !SMALL.test(line) && !lines[n + 1]?.startsWith('Index Cond'));
}

/** What the transactions of the work send, each statement once. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { sent } = await queriesOf(database.db, work);
  return [...new Set(sent.map(({ sql }) => sql))].filter((sql) =>
    /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/i.test(sql),
  );
}

const payin = { id: 'in_p', status: 'confirmed', amountGross: '10', assetCode: 'USDT.TRON' };
const refund = {
  id: 'po_p',
  status: 'confirmed',
  payoutType: 'refund',
  paymentIntentId: 'pi_p',
  merchantReference: 'order-p',
};
const events: TestEvent[] = [
  completed('p', { payins: [payin], irregularRefundPayoutId: 'po_p' }),
  { event: 'payin.confirmed', data: { id: 'in_q', status: 'confirmed', paymentIntentId: 'pi_q' } },
  { event: 'payin.confirmed', data: { id: 'in_r', status: 'confirmed' } },
  { event: 'invoice.paid', data: { invoice: { id: 'inv_p', status: 'paid' }, paymentIntent: { id: 'pi_p' } } },
  { event: 'payout.confirmed', data: refund },
  { event: 'wallet.unheard', data: { id: 'w' } },
];

/** What is saved over tables that are empty, or nearly: a plan that a connection makes then is kept while they grow. */
test('an event or a poll is saved by lookups of keys alone, whatever the planner knew of the tables', async () => {
  const { db } = database;
  const log = pino({ level: 'silent' });
  const deps = { db, log, now: () => new Date(at(900)), metrics: createMetrics(), adoptedAt: new Date(0) };
  const sent = await statementsOf(async () => {
    for (const [n, event] of [...events, ...events].entries()) {
      await applyEvents(deps, await storeEvents(db, [{ ...event, timestamp: 1_700_000_000 + n }]));
    }
    for (const second of [10, 20]) {
      await save(database, readPaid('p', { status: second === 10 ? 'pending' : 'completed' }, second));
      await save(database, [
        poll('payout', refund, second),
        poll('invoice', { id: 'inv_p', status: 'paid', paymentIntentId: 'pi_p', merchantReference: 'order-p' }, second),
        poll('transaction', { id: 'tx_p', accountId: 'acc', type: 'deposit', amount: '1', assetCode: 'BTC' }, second),
        poll('payment_intent', { id: `pi_${second}`, status: 'pending', merchantReference: 'order-p' }, second),
      ]);
    }
    await save(database, [absence('payment_intent', 'pi_p', 30), absence('payout', 'po_p', 30)]);
  });
  expect(sent.length).toBeGreaterThan(30);
  for (const sql of sent) expect(await readWhole(sql), sql).toEqual([]);
});
