import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadFigures } from '../../src/records/alerts/load-state.js';
import { unclosedBreaks } from '../../src/records/breaks/break-money.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { countOpenBreaks, lastCompleteRuns, serviceAwaySeconds, serviceOutage } from '../../src/records/gauges.js';
import { bindInstallation } from '../../src/records/installation.js';
import { type Answers, mergeAnswers, noteAnswers } from '../../src/records/service-notes.js';
import { openedAt } from '../support/aged-breaks.js';
import { useDatabase } from '../support/database.js';
import { plansOf, queriesOf } from '../support/query-plans.js';

const database = useDatabase();

test('open breaks are counted by kind and severity, closed ones not', async () => {
  const { db } = database;
  const breakOf = (id: string) => ({
    kind: 'stale_record' as const,
    entity: { kind: 'payin' as const, id },
    evidence: {},
  });
  await openBreaks(db, [breakOf('a'), breakOf('b'), breakOf('c')]);
  await db('breaks').where({ entity_id: 'a' }).update({ status: 'resolved' });
  await db('breaks').where({ entity_id: 'b' }).update({ status: 'acknowledged' });
  expect(await countOpenBreaks(db)).toEqual([{ kind: 'stale_record', severity: 'medium', count: 2 }]);
});

test('the last complete run of each kind; neither a failed nor an incomplete one', async () => {
  const { db } = database;
  const ran = (kind: string, hour: number, complete: boolean, status = 'succeeded') => ({
    kind,
    full: false,
    status,
    complete,
    finished_at: new Date(Date.UTC(2026, 0, 1, hour)),
  });
  await db('runs').insert([
    ran('payouts', 1, true),
    ran('payouts', 2, true),
    ran('payouts', 3, false),
    ran('payouts', 4, true, 'failed'),
    ran('invoices', 5, false),
  ]);
  const last = await lastCompleteRuns(db, ['payouts', 'invoices', 'balances']);
  expect(last).toEqual([{ kind: 'payouts', at: new Date(Date.UTC(2026, 0, 1, 2)) }]);
});

test('runs that fail alike are an outage from the first of them on, until one has its answers', async () => {
  const { db } = database;
  await db('runs').delete();
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 14, minute));
  const run = (kind: string, minute: number, error: string | null, seconds = 5) =>
    db('runs').insert({
      kind,
      full: false,
      status: error === null ? 'succeeded' : 'failed',
      complete: error === null,
      started_at: at(minute),
      finished_at: new Date(at(minute).getTime() + seconds * 1_000),
      error,
    });
  const outage = () => serviceOutage(db, at(30));
  const gone = 'service_unavailable: listPayouts: the service failed, status 503';
  expect(await outage()).toBeNull();
  await run('payouts', 0, gone);
  await run('endpoints', 1, null);
  expect(await outage()).toBeNull();
  // It began before the last that had its answers, and ended after them.
  await run('payouts', 2, gone);
  expect(await outage()).toMatchObject({ why: 'away', runs: 1, since: at(2).toISOString() });
  expect(await serviceAwaySeconds(db, at(30))).toBe(0);
  await run('balances', 3, 'service_circuit_open: getBalance: not sent');
  const since = { why: 'away', since: at(2).toISOString(), seconds: 28 * 60, runs: 2, webhookAt: null };
  expect(await outage()).toEqual({
    ...since,
    attempts: 0,
    operations: 0,
    what: 'reads of balances, payouts',
    error: 'service_circuit_open: getBalance: not sent',
  });
  expect(await serviceAwaySeconds(db, at(30))).toBe(28 * 60);
  await run('accounts', 4, 'service_unauthorized: listAccounts: the API key is not accepted, status 401');
  expect(await outage()).toMatchObject({
    why: 'refused',
    runs: 1,
    since: at(4).toISOString(),
    what: 'reads of accounts',
  });
  // A run of another process that took longer, and had its answers.
  await run('catalog', 5, gone);
  await db('runs')
    .where({ kind: 'accounts' })
    .update({ status: 'succeeded', error: null, finished_at: at(6) });
  expect(await outage()).toBeNull();
});

test('calls without an answer are an outage from the first on, whatever runs say, until one is answered', async () => {
  const { db } = database;
  const at = (second: number) => Date.UTC(2026, 0, 1, 15, 0, second);
  const gone = (second: number, operation = 'listPayouts') => {
    return { at: at(second), operation, error: `service_unavailable: ${operation}: no connection (ECONNREFUSED)` };
  };
  const outage = () => serviceOutage(db, new Date(at(60)));
  await noteAnswers(db, { answeredAt: at(0), failed: [] });
  expect(await outage()).toBeNull();
  await noteAnswers(db, { answeredAt: null, failed: [gone(1), gone(2)] });
  await noteAnswers(db, { answeredAt: null, failed: [gone(3, 'getBalance')] });
  expect(await outage()).toEqual({
    why: 'away',
    since: '2026-01-01T15:00:01.000Z',
    seconds: 59,
    runs: 0,
    attempts: 3,
    operations: 2,
    what: 'calls of getBalance, listPayouts',
    error: gone(3, 'getBalance').error,
    webhookAt: null,
  });
  expect(await serviceAwaySeconds(db, new Date(at(60)))).toBe(59);
  // Another process, whose answer came before the newest failure.
  await noteAnswers(db, { answeredAt: at(2), failed: [] });
  expect(await outage()).toMatchObject({ attempts: 3 });
  await noteAnswers(db, { answeredAt: at(4), failed: [gone(5)] });
  expect(await outage()).toMatchObject({ attempts: 1, operations: 1, since: '2026-01-01T15:00:05.000Z' });
  await noteAnswers(db, { answeredAt: at(6), failed: [] });
  expect(await outage()).toBeNull();
});

const answers = fc
  .array(fc.record({ at: fc.integer({ min: 1, max: 99 }), isAnswer: fc.boolean() }), { minLength: 1, maxLength: 8 })
  .map((all) => [...new Map(all.map((one) => [one.at, one])).values()]);

test('law: what is known of answers does not depend on the order in which they become known', () => {
  fc.assert(
    fc.property(answers, fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), (all, places) => {
      const one = ({ at, isAnswer }: (typeof all)[number]): Answers =>
        isAnswer
          ? { answeredAt: at, failed: [] }
          : { answeredAt: null, failed: [{ at, operation: 'getBalance', error: 'e' }] };
      const merged = (some: typeof all) => some.map(one).reduce(mergeAnswers, { answeredAt: null, failed: [] });
      const shuffled = all.toSorted((a, b) => (places[a.at % 8] ?? 0) - (places[b.at % 8] ?? 0));
      expect(merged(shuffled)).toEqual(merged(all));
      const lastAnswer = Math.max(0, ...all.flatMap(({ at, isAnswer }) => (isAnswer ? [at] : [])));
      const failed = all.filter(({ at, isAnswer }) => !isAnswer && at > lastAnswer).map(({ at }) => at);
      expect(merged(all).failed.map(({ at }) => at)).toEqual(failed.toSorted((a, b) => a - b));
    }),
  );
});

test('open breaks say the money that their records name, a sum for each currency; each break is counted once', async () => {
  const { db } = database;
  await db('breaks').update({ status: 'resolved' });
  const order = (reference: string, amount: string | null, currency: string | null) => ({
    reference,
    expected_amount: amount,
    expected_currency: currency,
    status: 'underpaid',
    release_safe: false,
    release_reason: 'underpaid',
  });
  await db('orders').insert([
    order('a', '1.50', 'EUR'),
    order('b', '2', 'EUR'),
    order('c', '3', 'BTC'),
    order('d', null, null),
    { ...order('e', null, null), payment_intents: ['pi_e1', 'pi_e2'] },
  ]);
  await db('payment_intents').insert(
    ['2', '7.25'].map((amount_requested, n) => ({
      id: `pi_e${n + 1}`,
      amount_requested,
      currency_requested: 'USDT',
      shown: '{}',
      verified: true,
      observed_at: new Date(),
      observed_by_type: 'poll',
      observed_by_ref: '1',
    })),
  );
  await db('balance_proofs').insert({ asset_code: 'BTC', unexplained: '-0.5', asked_at: new Date() });
  await openBreaks(db, [
    ...['a', 'b', 'c', 'd', 'e'].map((id) => ({
      kind: 'order_underpaid' as const,
      entity: { kind: 'order' as const, id },
      evidence: {},
    })),
    { kind: 'balance_residual', entity: { kind: 'balance', id: 'BTC' }, evidence: {} },
  ]);
  await openedAt(db, { entity_id: 'b' }, db.raw("now() - interval '1 hour'"));
  await db('breaks').where({ entity_id: 'c' }).update({ status: 'acknowledged', owner: 'ann' });
  await db('breaks').where({ entity_id: 'd' }).update({ owner: 'ann' });
  const [residual, underpaid] = await unclosedBreaks(db, new Date());
  expect(residual).toMatchObject({ count: 1, inHand: 0, money: [{ amount: '0.5', currency: 'BTC' }] });
  expect(underpaid).toMatchObject({
    kind: 'order_underpaid',
    severity: 'high',
    count: 5,
    inHand: 2,
    money: [
      { amount: '3', currency: 'BTC' },
      { amount: '3.5', currency: 'EUR' },
      // Of an order that nobody registered, the largest that it was asked for.
      { amount: '7.25', currency: 'USDT' },
    ],
    worth: 13.75,
  });
  expect(Math.round((underpaid?.oldestSeconds ?? 0) / 60)).toBe(60);
});

test('paid orders that are held are those since the adoption, by an index, however many are older', async () => {
  const { db } = database;
  await bindInstallation(db, {
    adoptedAt: new Date('2026-06-01T00:00:00Z'),
    serviceBaseUrl: 'https://api.pay.example',
  });
  await db.raw(
    `INSERT INTO orders (reference, status, release_safe, release_reason, created_at)
     SELECT 'old ' || n, 'paid', false, 'before_adoption', '2026-01-01'::timestamptz FROM generate_series(1, 20000) AS n
     UNION ALL SELECT 'new ' || n, 'paid', true, 'proven', '2026-07-01' FROM generate_series(1, 20000) AS n`,
  );
  const order = (reference: string, status: string, safe: boolean) => {
    return { reference, status, release_safe: safe, release_reason: status, created_at: '2026-07-01' };
  };
  await db('orders').insert([
    order('held', 'paid', false),
    order('reported', 'paid_unverified', false),
    order('released', 'paid', true),
    order('open', 'awaiting_payment', false),
  ]);
  await db.raw('VACUUM ANALYZE orders');
  const { sent, result } = await queriesOf(db, () => loadFigures(db, new Date()));
  const held = sent.filter(({ sql }) => sql.includes('FROM orders'));
  expect(await plansOf(database.url, held)).toContain('orders_by_release');
  expect([result.ordersHeld, result.ordersReported]).toEqual([2, 1]);
});
