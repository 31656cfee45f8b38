import { type Family, noFamily } from '../../domain/family/family.js';
import { listedPayins } from '../../domain/family/links.js';
import type { Money } from '../../domain/family/money.js';
import type { ReleaseRules } from '../../domain/orders/order-facts.js';
import {
  amountProblem,
  currencyProblem,
  type RegistrationAction,
  registrationVerdict,
  showsMoney,
} from '../../domain/orders/registration.js';
import type { OrderView } from '../../domain/views/order-shapes.js';
import { AppError } from '../../errors.js';
import { autoResolveBreaks, openBreaks } from '../breaks/breaks.js';
import { appendChanges } from '../changes.js';
import { keyText } from '../database/database-text.js';
import { run, type Trx } from '../database/statements.js';
import { loadFamilies } from '../family/load.js';
import { adoptedAtOf } from '../installation.js';
import { expectedOf, ORDER_SEQ, type OrderRow, orderView } from '../order-row.js';
import { laneOfListed, requestRefresh } from '../runs/refresh-requests.js';
import { deriveOrders, type LockedOrder, lockExisting, lockOrders } from './derive-orders.js';
import { orderBreaks, orderChanges } from './order-follow-up.js';

/** What the store expects to be paid. */
export interface OrderRegistration {
  reference: string;
  /** A decimal string above zero. */
  amount: string;
  /** A code in upper case. */
  currency: string;
}

export interface RegistrationAsking {
  /** The name of a console token; left out: not known. */
  actor?: string;
  rules?: ReleaseRules;
  /** Whether the order, which is locked, is as who asks has seen it; left out: they don't say what they have seen. */
  isCurrent?: (trx: Trx) => Promise<boolean>;
}

export interface RegistrationDone {
  outcome: 'created' | 'changed' | 'withdrawn' | 'unchanged';
  order: OrderView;
}

export type RegisterOrderResult =
  | RegistrationDone
  /** It is registered otherwise, or money came in, or the order is other than it was seen: nothing is changed. */
  | { outcome: 'conflict' | 'received' | 'stale'; expected: OrderView['expected']; existing: OrderView | null };

/** A reference, amount or currency that no order can have. */
export class InvalidOrderError extends AppError {
  readonly code = 'invalid_order';
}

/** Registers what the store expects of an order, or changes that; the same registration again changes nothing. */
export async function registerOrder(
  trx: Trx,
  { reference: given, ...wanted }: OrderRegistration,
  asking: RegistrationAsking = {},
): Promise<RegisterOrderResult> {
  const reference = keyText(given);
  if (reference === null || reference === '') throw new InvalidOrderError('A reference has 1 to 1,000 bytes');
  const problems = { amount: amountProblem(wanted.amount), currency: currencyProblem(wanted.currency) };
  for (const [field, problem] of Object.entries(problems))
    if (problem !== null) throw new InvalidOrderError(`${field}: ${problem}`);
  const touched = [{ reference, since: null }];
  // An order that was seen is there: asking for it makes none.
  if (asking.isCurrent === undefined) {
    const locked = (await lockOrders(trx, touched)).get(reference);
    if (locked === undefined) throw new Error('The row of a locked order is gone');
    return settle(trx, locked, wanted, asking);
  }
  const [row] = await lockExisting(trx, touched);
  if (row === undefined) return { outcome: 'stale', expected: null, existing: null };
  return settle(trx, { row, isNew: false }, wanted, asking);
}

/** Withdraws what the store registered, where no money came in. Null: there is no such order. */
export async function withdrawRegistration(
  trx: Trx,
  reference: string,
  asking: RegistrationAsking = {},
): Promise<RegisterOrderResult | null> {
  const [row] = await lockExisting(trx, [{ reference, since: null }]);
  return row === undefined ? null : settle(trx, { row, isNew: false }, null, asking);
}

async function settle(
  trx: Trx,
  locked: LockedOrder,
  wanted: Money | null,
  asking: RegistrationAsking,
): Promise<RegisterOrderResult> {
  const { row } = locked;
  const expected = expectedOf(row);
  const isCurrent = asking.isCurrent === undefined ? null : await asking.isCurrent(trx);
  const received = expected !== null && (await receivedMoney(trx, row));
  const verdict = registrationVerdict({ expected, wanted, isCurrent, received });
  if (verdict === 'unchanged') return { outcome: verdict, order: await viewNow(trx, row) };
  if (verdict === 'conflict' || verdict === 'received' || verdict === 'stale')
    return { outcome: verdict, expected, existing: await viewNow(trx, row) };
  await keepVersion(trx, row.reference, { action: verdict, wanted, actor: asking.actor ?? null });
  const after = await write(trx, locked, wanted, asking.rules);
  return { outcome: verdict === 'registered' ? 'created' : verdict, order: await viewNow(trx, after) };
}

async function viewNow(trx: Trx, row: OrderRow): Promise<OrderView> {
  const [placed] = await trx('orders').where({ reference: row.reference }).select(trx.raw(ORDER_SEQ));
  return orderView({ ...row, ...placed });
}

async function receivedMoney(trx: Trx, row: OrderRow): Promise<boolean> {
  return showsMoney((await loadFamilies(trx, [row])).get(row.reference) ?? noFamily);
}

/** What stands and has no version was registered by a program that kept none: it is the version before. */
async function keepVersion(
  trx: Trx,
  reference: string,
  { action, wanted, actor }: { action: RegistrationAction; wanted: Money | null; actor: string | null },
): Promise<void> {
  await run(trx)`
    INSERT INTO order_registrations (reference, action, amount, currency, at)
    SELECT reference, 'registered', expected_amount, expected_currency, registered_at FROM orders
    WHERE reference = ${reference} AND registered_at IS NOT NULL AND 'withdrawn' = coalesce((
      SELECT action FROM order_registrations AS kept WHERE kept.reference = orders.reference ORDER BY id DESC LIMIT 1
    ), 'withdrawn')`;
  const { amount, currency } = wanted ?? { amount: null, currency: null };
  await trx('order_registrations').insert({ reference, action, amount, currency, actor });
}

/** Derives the order anew by what is registered now, with its breaks and its history. */
async function write(
  trx: Trx,
  { row, isNew }: LockedOrder,
  wanted: Money | null,
  rules?: ReleaseRules,
): Promise<OrderRow> {
  const { reference } = row;
  await trx('orders')
    .where({ reference })
    .update({
      expected_amount: wanted?.amount ?? null,
      expected_currency: wanted?.currency ?? null,
      registered_at: wanted === null ? null : (row.registered_at ?? trx.fn.now()),
      updated_at: trx.fn.now(),
    });
  const adoptedAt = await adoptedAtOf(trx);
  const [derived] = await deriveOrders(trx, [{ reference, since: null }], [], { ...rules, adoptedAt });
  const after = await trx<OrderRow>('orders').where({ reference }).first();
  if (after === undefined) throw new Error('The row of a locked order is gone');
  const changed = { before: isNew ? null : row, after, records: derived?.records ?? noFamily };
  if (after.release_reason === 'before_adoption') await askForPayins(trx, changed.records);
  const { open, resolve } = orderBreaks(changed, { adoptedAt });
  await autoResolveBreaks(trx, resolve);
  await openBreaks(trx, open);
  const cause = { source: { type: 'store', ref: 'registration' }, serviceTime: null } as const;
  await appendChanges(trx, orderChanges(changed, cause));
  return after;
}

/** Whoever registers an order wants to know of it: payins of before adoption, which nobody asked for, are read now. */
async function askForPayins(trx: Trx, { intents }: Family): Promise<void> {
  const ids = intents.flatMap(({ fields }) => listedPayins(fields));
  await requestRefresh(
    trx,
    ids.map((id, nth) => ({ kind: 'payin', id, reason: 'payin_of_intent', lane: laneOfListed(nth) })),
  );
}
