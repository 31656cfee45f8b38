import { classOf, payoutClass } from '../family/links.js';
import { grouped } from '../grouped.js';
import { isJsonObject, type Json, type JsonObject, ownField } from '../json.js';
import { isAmount, isSignedAmount, negated, sumAmounts } from '../money.js';
import { textField } from '../records.js';
import { MOVED } from '../run-kinds.js';
import type {
  MovementLine,
  MovementOperation,
  MovementRecord,
  MovementStates,
  MovementTable,
} from './movement-table.js';

type Operations = { operations: readonly MovementOperation[] } | { unclear: string };

/** Which operations a record stands for. One that another list shows whole (a sub-wallet's payout) stands for none here. */
function operationsOf(record: MovementRecord, table: MovementTable): Operations {
  if (record.kind === 'payment_intent') return { operations: ['paymentCollected', 'disputeEncash', 'autoSettlement'] };
  if (record.kind === 'payin') return ofPayin(record);
  return record.kind === 'payout' ? ofPayout(record, table) : ofTransaction(record, table);
}

/** Specification 2.2. */
function ofPayin({ fields }: MovementRecord): Operations {
  const type = textField(fields, 'payinType');
  if (type === 'merchant_deposit') return { operations: ['merchantDeposit'] };
  if (type === 'internal_transfer') return { operations: ['internalTransferIn'] };
  if (type !== null && type !== 'blockchain') return { unclear: `payinType "${type}" is not known` };
  if (textField(fields, 'paymentIntentId') !== null) return { operations: ['payinConfirmed'] };
  // What a sub-wallet gets stands among its own transactions.
  if (textField(fields, 'addressPurpose') === 'STATIC_ADDRESS') return { operations: [] };
  return { unclear: 'a payin without a payment: which balance it went to is not shown' };
}

const NO_CLASS = 'is on no list of movements.words.payoutType';

/**
 * Whether all that is not known hangs on payouts whose type the contract does not know, or may stand still by itself. `why`: as runs have it, each
 * reason behind the assets that it is of; `taken`: assets of such payouts, of which one that moves is not told apart as long as that is so.
 */
export function isOfNewType(why: string | null, taken: readonly string[]): boolean {
  const reasons = why?.split('; ') ?? [];
  const isOfType = (reason: string) => reason.includes(`" ${NO_CLASS}`);
  const isMoving = (reason: string) => reason.includes(MOVED);
  const isTaken = (reason: string) => taken.some((asset) => reason.split(/: |, | and /).includes(asset));
  return (
    reasons.every((reason) => isOfType(reason) || isMoving(reason)) &&
    reasons.some((reason) => isOfType(reason) || isTaken(reason))
  );
}

/** Specification 2.4. What a sub-wallet pays, to whomever, stands among its own transactions. */
function ofPayout(record: MovementRecord, table: MovementTable): Operations {
  const found = payoutClass(record.fields, table.words.payoutType);
  const type = textField(record.fields, 'payoutType');
  if (found === null) return { unclear: `payoutType ${quoted(type)} ${NO_CLASS}` };
  if (found === 'settlement') return { operations: ['settlement', 'networkFee'] };
  if (found === 'refund') {
    if (record.ofDispute === undefined) return { unclear: 'whether a dispute made this refund is not known' };
    return { operations: [record.ofDispute ? 'disputeRefund' : 'refund', 'networkFee'] };
  }
  if (typeof record.accountId === 'string') return { operations: ['networkFee'] };
  if (record.accountId === null || table.choices.unnamedPayout === 'operating')
    return { operations: [found === 'internal' ? 'internalPayout' : 'payout', 'networkFee'] };
  return { unclear: 'which balance this payout debits is not shown' };
}

/** Specification 3.6, 4.6, 4.11, 4.12. The other side of a transfer is null where it is the operating balance. */
function ofTransaction({ fields }: MovementRecord, table: MovementTable): Operations {
  const type = textField(fields, 'type');
  const found = classOf(type, table.words.transactionType);
  if (found === null) return { unclear: `type ${quoted(type)} is on no list of movements.words.transactionType` };
  if (found === 'deposit') return { operations: ['accountDeposit'] };
  if (found === 'withdrawal') return { operations: ['accountPayout'] };
  if (found === 'closure') return { operations: ['accountClose'] };
  const other = ownField(fields, 'counterpartyAccountId');
  if (other === undefined) return { unclear: 'the other side of this transfer is not shown' };
  if (found === 'transferOut') return { operations: [other === null ? 'transferToOperating' : 'transferToAccount'] };
  return { operations: [other === null ? 'transferFromOperating' : 'transferFromAccount'] };
}

const quoted = (word: string | null): string => (word === null ? '(not shown)' : `"${word}"`);

/** One effect of a record on one balance, as it is kept. */
export interface Effect {
  /**
   * `unobservable`: of an operation of which no list shows all. `unplaced`: a withdrawal, of which it is not known (account
   * null) or known (a sub-wallet) whose it is. `unclear`: nothing is guessed, so a balance with such a record is unproven.
   */
  part: 'explained' | 'unobservable' | 'unplaced' | 'unclear';
  operation: MovementOperation | null;
  /** Null: the operating balance. */
  account: string | null;
  assetCode: string | null;
  /** A signed decimal string, never zero; null: not shown. */
  delta: string | null;
  /** When, as the service wrote it; null: not shown. */
  at: string | null;
  why: string | null;
  /** Of an amount that is not shown: no more than this. */
  limit: string | null;
}

/**
 * All effects of a record as it stands. A withdrawal of which nobody says whether it was the operating balance's or a
 * sub-wallet's is not given up as unclear: the transactions of all sub-wallets together show how much of all withdrawals was
 * theirs, so the debits are kept as `unplaced`, those of known sub-wallets among them.
 */
export function effectsOf(record: MovementRecord, table: MovementTable): Effect[] {
  const moved = movementsOf(record, table);
  if (record.kind !== 'payout' || record.accountId === null) return moved;
  if (record.accountId === undefined && table.choices.unnamedPayout === 'operating') return moved;
  const asOperating = movementsOf({ ...record, accountId: null }, table);
  if (asOperating.some(({ part }) => part === 'unclear')) return moved;
  const account = record.accountId ?? null;
  const debits = asOperating.filter(isWithdrawal).map((effect): Effect => ({ ...effect, part: 'unplaced', account }));
  return [...(account === null ? asOperating : moved).filter((effect) => !isWithdrawal(effect)), ...debits];
}

function isWithdrawal({ part, operation }: Effect): boolean {
  return part === 'explained' && (operation === 'payout' || operation === 'internalPayout');
}

/** All that a record may stand for, whether or not it moves something as it stands; null: that is not known. */
export function operationsWith(record: MovementRecord, table: MovementTable): readonly MovementOperation[] | null {
  // A withdrawal is one also where it is not known whose.
  const found = operationsOf({ ...record, accountId: null }, table);
  return 'unclear' in found ? null : found.operations;
}

/** The whole effect of a record as it stands: what it did between two polls is the difference of the two results. */
export function movementsOf(record: MovementRecord, table: MovementTable): Effect[] {
  const found = operationsOf(record, table);
  if ('unclear' in found) return [unclear(found.unclear, null, record)];
  const effects = found.operations.flatMap((operation) => read(operation, record, table));
  const parts = ['explained', 'unobservable', 'unclear'] as const;
  return parts.flatMap((part) => effects.filter((effect) => effect.part === part));
}

function unclear(why: string, operation: MovementOperation | null, { fields }: MovementRecord): Effect {
  const assetCode = textField(fields, 'assetCode');
  return { part: 'unclear', operation, account: null, assetCode, delta: null, at: null, why, limit: null };
}

function read(operation: MovementOperation, record: MovementRecord, table: MovementTable): Effect[] {
  const { fields } = record;
  const active = table.operations[operation].filter((line) => holds(line, table));
  if (active.some((line) => isStateless(line, fields))) return [unclear('its state is not shown', operation, record)];
  const chosen = active.filter(({ states }) => 'any' in states || isAmong(textField(fields, states.field), states));
  const lines = chosen.filter((line) => matches(line, fields));
  // Where lines distinguish cases (who bears the fee), one of them must be the case.
  const missed = lines.length > 0 ? undefined : chosen.find((line) => !isOptional(line));
  if (missed !== undefined) {
    const names = Object.keys(missed.where ?? {}).join(', ');
    return [unclear(`${names}: no line of the table has what is shown`, operation, record)];
  }
  const groups = grouped(lines, ({ balance, asset, shownBy }) => JSON.stringify([balance, asset, shownBy]));
  return [...groups.values()].flatMap((group) => effectOf(group, operation, record));
}

/** A line about a flag of the record that is simply off. */
function isOptional({ where = {} }: MovementLine): boolean {
  return Object.values(where).every((value) => typeof value === 'boolean');
}

function holds({ when = {} }: MovementLine, { choices }: MovementTable): boolean {
  const chosen = new Map(Object.entries(choices));
  return Object.entries(when).every(([choice, value]) => value === undefined || chosen.get(choice) === value);
}

/** Whether a line that moves something hangs on a state that the record does not show. */
function isStateless(line: MovementLine, fields: JsonObject): boolean {
  const { states, effect } = line;
  if ('any' in states || effect?.length === 0 || (isOptional(line) && !matches(line, fields))) return false;
  return textField(fields, states.field) === null;
}

/** A state that is not shown is none in which an effect stands. */
function isAmong(state: string | null, states: Exclude<MovementStates, { any: true }>): boolean {
  if (state === null) return false;
  return 'only' in states ? states.only.includes(state) : !states.except.includes(state);
}

function matches({ where = {} }: MovementLine, fields: JsonObject): boolean {
  return Object.entries(where).every(([field, value]) => valueAt(fields, field) === value);
}

/** Lines of one balance, asset and source: their terms add up. */
function effectOf(lines: readonly MovementLine[], operation: MovementOperation, record: MovementRecord): Effect[] {
  const { fields } = record;
  const [{ balance, asset, shownBy, time, states }] = lines as readonly [MovementLine];
  const not = (why: string) => [unclear(why, operation, record)];
  const terms = lines.some(({ effect }) => effect === null)
    ? null
    : termsOf(lines.flatMap(({ effect }) => effect ?? []));
  const unread = terms?.find(([field]) => amountAt(fields, field) === undefined);
  if (unread !== undefined) return not(`${unread[0]} is not shown, or is no amount`);
  const delta =
    terms === null
      ? null
      : sumAmounts(terms.flatMap(([field, times]) => repeated(amountAt(fields, field) ?? '0', times)));
  if (delta === '0') return [];
  const account = balance === 'account' ? textField(fields, 'accountId') : null;
  if (balance === 'account' && account === null) return not('accountId is not shown');
  const assetCode = textField(fields, asset);
  const effect = { operation, account, assetCode, delta, at: timeOf(time, states, fields), why: null };
  if (shownBy === 'nothing') return [{ ...effect, part: 'unobservable', limit: limitOf(effect, fields) }];
  if (delta === null) return not('the amount is not shown');
  return assetCode === null ? not(`${asset} is not shown`) : [{ ...effect, part: 'explained', limit: null }];
}

/** An automatic settlement reverses what the payment brought, or less (2.15). */
function limitOf({ operation, delta }: Pick<Effect, 'operation' | 'delta'>, fields: JsonObject): string | null {
  const net = fields['amountNetMerchant'];
  return delta === null && operation === 'autoSettlement' && isAmount(net) ? net : null;
}

/** How often each field counts; those that cancel out need not be known. */
function termsOf(terms: readonly string[]): [string, number][] {
  const counted = new Map<string, number>();
  for (const term of terms) {
    const field = term.slice(1);
    counted.set(field, (counted.get(field) ?? 0) + (term.startsWith('-') ? -1 : 1));
  }
  return [...counted].filter(([, times]) => times !== 0);
}

function repeated(amount: string, times: number): string[] {
  const one = times > 0 ? amount : negated(amount);
  return Array.from({ length: Math.abs(times) }, () => one);
}

/** A fee of null is none (2.4, 4.6). Undefined: it is not known. */
function amountAt(fields: JsonObject, field: string): string | undefined {
  const value = valueAt(fields, field);
  if (value === null && /fee/i.test(field)) return '0';
  return isSignedAmount(value) ? value : undefined;
}

function valueAt(fields: JsonObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), fields);
}

function timeOf(time: MovementLine['time'], states: MovementStates, fields: JsonObject): string | null {
  if (time !== 'statusHistory') return time === null ? null : textField(fields, time);
  const entries = fields['statusHistory'];
  if ('any' in states || !Array.isArray(entries)) return null;
  const first = entries.filter(isJsonObject).find((entry) => isAmong(textField(entry, 'status'), states));
  return first === undefined ? null : textField(first, 'timestamp');
}
