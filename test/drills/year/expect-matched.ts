import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { AgeBucket } from '../../../src/domain/age-buckets.js';
import { accounts } from '../../../src/domain/books/chart.js';
import type { MatchReason, MatchState, MatchView } from '../../../src/domain/books/match/match-shapes.js';
import { subtractAmounts, sumAmounts } from '../../../src/domain/money.js';
import { accountTotals } from '../../../src/records/books/account-totals.js';
import { listMatches, matchSummary } from '../../../src/records/books/match/list-matches.js';
import { registerOrder } from '../../../src/records/orders/orders.js';
import { customerOf, type YearWorld } from './make-month.js';

type Stand = [state: MatchState, ...reasons: MatchReason[]];

const DAY_MS = 86_400_000;
const isRegistered = (n: number): boolean => n % 5 === 0;

/** What the store says of its orders itself, of every fifth; `from`: the first payment that it has not spoken of. */
export async function registerOrders(db: Knex, { sandbox, intents }: YearWorld, from: number): Promise<void> {
  for (const [n, id] of intents.entries()) {
    if (n < from || !isRegistered(n)) continue;
    const { amountRequested: amount, currencyRequested: currency } = sandbox.control.paymentIntent(id) ?? {};
    const order = { reference: `order-${n}`, amount: String(amount), currency: String(currency) };
    await db.transaction((trx) => registerOrder(trx, order));
  }
}

/**
 * What the customers did decides where each order stands; the sums by age and asset are those of all orders, and what is booked of
 * them is what the books hold. Answers how many stand where.
 */
export async function expectMatched(db: Knex, world: YearWorld, now: Date): Promise<Record<string, number>> {
  const today = now.toISOString().slice(0, 10);
  const all = await everyMatch(db, today);
  const due = new Map([
    ...world.intents.map((id, n): [string, Stand] => [`order order-${n}`, standOf(world, id, n)]),
    ...world.invoices.map((id): [string, Stand] => [`invoice ${id}`, ['matched', 'agreed']]),
  ]);
  const found = new Map(all.map(({ kind, id, state, reasons }) => [`${kind} ${id}`, [state, reasons[0]?.code]]));
  const others = [...found].flatMap(([name, stand]) => {
    const [state, ...reasons] = due.get(name) ?? [];
    const [foundState, reason] = stand;
    const isDue = state === foundState && reasons.some((one) => one === reason);
    return isDue ? [] : [[name, foundState, reason, state, ...reasons]];
  });
  expect(others).toEqual([]);
  expect(found.size).toBe(due.size);
  for (const { openedOn, age } of all) expect([openedOn, age]).toEqual([openedOn, bucketOf(openedOn, today)]);
  await expectSums(db, all, today);
  const counts: Record<string, number> = {};
  for (const { state, reasons } of all) {
    const name = `${state.replace('_', ' ')} (${reasons[0]?.code.replaceAll('_', ' ')})`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function everyMatch(db: Knex, today: string): Promise<MatchView[]> {
  const all: MatchView[] = [];
  let cursor: string | undefined;
  do {
    const page = await listMatches(db, { take: 500, cursor }, { today, timeZone: 'UTC' });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

function standOf({ sandbox, givenBack }: YearWorld, id: string, n: number): Stand {
  const { status, irregularStatus } = sandbox.control.paymentIntent(id) ?? {};
  const customer = customerOf(n);
  const given = givenBack.get(id);
  if (given !== undefined) return ['matched', given === 'whole' ? 'given_back' : 'partly_given_back'];
  switch (irregularStatus) {
    case 'pending_decision':
      return ['partly_matched', 'disputed'];
    case 'refunded':
      if (customer === 'pays too much') return ['matched', 'partly_given_back'];
      return customer === 'disputes a part' ? ['partly_matched', 'underpaid'] : ['matched', 'given_back'];
    case 'encashed':
      if (customer === 'pays too much') return ['partly_matched', 'overpaid'];
      if (customer === 'pays half') return ['partly_matched', 'underpaid'];
      return ['partly_matched', 'out_of_range'];
    default:
      if (status === 'completed') return ['matched', 'agreed'];
      if (status === 'pending') return ['unmatched', 'not_paid'];
      return isRegistered(n) ? ['unmatched', 'lapsed_unpaid'] : ['matched', 'lapsed'];
  }
}

function bucketOf(openedOn: string, today: string): AgeBucket {
  const days = (Date.parse(today) - Date.parse(openedOn)) / DAY_MS;
  if (days <= 30) return '0-30';
  if (days <= 60) return '31-60';
  return days <= 90 ? '61-90' : '90+';
}

async function expectSums(db: Knex, all: readonly MatchView[], today: string): Promise<void> {
  const { counts, amounts } = await matchSummary(db, { today });
  for (const { state, age, matches } of counts)
    expect([state, age, matches]).toEqual([
      state,
      age,
      all.filter((one) => one.state === state && one.age === age).length,
    ]);
  expect(counts.reduce((sum, { matches }) => sum + matches, 0)).toBe(all.length);
  const lines = all.flatMap(({ state, age, amounts: own }) => own.map((amount) => ({ state, age, ...amount })));
  expect(amounts.reduce((sum, { matches }) => sum + matches, 0)).toBe(lines.length);
  for (const { code, state, age, ...sums } of amounts) {
    const own = lines.filter((line) => line.code === code && line.state === state && line.age === age);
    for (const side of ['asked', 'paid', 'returned', 'booked'] as const)
      expect([code, state, age, side, sums[side]]).toEqual([
        code,
        state,
        age,
        side,
        sumAmounts(own.map((line) => line[side])),
      ]);
  }
  const income = (await accountTotals(db, '9999-12')).filter(
    ({ account }) => account === accounts.payments || account === accounts.refunds,
  );
  for (const assetCode of new Set(income.map((one) => one.assetCode))) {
    const earned = income.filter((one) => one.assetCode === assetCode).map(({ closing }) => closing);
    const own = amounts.filter(({ code }) => code === assetCode);
    const [paid, returned, booked] = (['paid', 'returned', 'booked'] as const).map((side) =>
      sumAmounts(own.map((one) => one[side])),
    );
    expect([assetCode, booked]).toEqual([assetCode, subtractAmounts('0', sumAmounts(earned))]);
    expect([assetCode, booked]).toEqual([assetCode, subtractAmounts(paid ?? '0', returned ?? '0')]);
  }
}
