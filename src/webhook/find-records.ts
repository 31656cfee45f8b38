import { isJsonObject, type Json, type JsonObject, ownField } from '../domain/json.js';
import { kinds } from '../domain/kinds/kinds.js';
import { type RecordKind, recordKinds, recordNames, recordRules, textField } from '../domain/records.js';

/** The kind of record that an event is about, by the prefix of its type (specification 6.2, and the same pattern). */
const prefixes: ReadonlyMap<string, RecordKind> = new Map(
  recordKinds.flatMap((kind) => {
    const { eventPrefix } = kinds[kind];
    return eventPrefix === undefined ? [] : [[eventPrefix, kind] as const];
  }),
);

export interface EventKind {
  kind: RecordKind;
  /** What the type says beyond the kind: `completed`, `deposit.completed`. */
  suffix: string;
  /** It is about money that a sub-wallet got or gave, not about the sub-wallet itself. */
  isTransaction: boolean;
}

/** Null: records of such events are not kept here. */
export function eventKind(type: string): EventKind | null {
  const dot = type.indexOf('.');
  const kind = prefixes.get(type.slice(0, Math.max(dot, 0)));
  if (kind === undefined) return null;
  const suffix = type.slice(dot + 1);
  return { kind, suffix, isTransaction: kind === 'account' && suffix.includes('.') };
}

/** The types that the specification names, and those of the same pattern that name a listed state. */
const knownEventTypes: ReadonlySet<string> = new Set([
  ...[...prefixes].flatMap(([prefix, kind]) =>
    [...recordRules[kind].main.ranks.keys()].map((state) => `${prefix}.${state}`),
  ),
  'wallet_account.deposit.completed',
  'wallet_account.transfer.completed',
]);

/** An event's type as a label of a metric: whoever sends events can't make up ever new ones. */
export const eventLabel = (type: string): string => (knownEventTypes.has(type) ? type : 'other');

/** A record that an event's data speaks of. */
export interface FoundRecord {
  kind: RecordKind;
  id: string;
  /** What the data says of it, under the record's own names, `id` among them; null: nothing but its id. */
  fields: JsonObject | null;
  /** JSON pointer to it within the data. */
  path: string;
}

/** Names that say nothing of what they wrap: the record is of the kind that the event's type names. */
const plainWrappers = ['object', 'record', 'resource', 'payload', 'data'];
const MAX_DEPTH = 4;

/**
 * The record that an event of this kind is about: the data itself, whole or in part; wrapped; or nothing but an id.
 * Null where none can be made out.
 */
export function findSubject(kind: RecordKind, data: JsonObject, path = '', depth = 0): FoundRecord | null {
  const { wrappers } = recordNames[kind];
  for (const name of wrappers) {
    const value = ownField(data, name);
    if (isText(value)) return { kind, id: value, fields: null, path: `${path}/${name}` };
    if (!isJsonObject(value)) continue;
    const id = explicitId(kind, value) ?? textId(value) ?? explicitId(kind, data);
    if (id !== null) return { kind, id, fields: recordFields(kind, id, value), path: `${path}/${name}` };
  }
  const id = explicitId(kind, data) ?? (looksLikeRecord(kind, data) ? textId(data) : null);
  if (id !== null) return { kind, id, fields: recordFields(kind, id, data), path };
  for (const name of depth < MAX_DEPTH ? plainWrappers : []) {
    const value = ownField(data, name);
    const inner = isJsonObject(value) ? findSubject(kind, value, `${path}/${name}`, depth + 1) : null;
    if (inner) return inner;
  }
  const bare = textId(data);
  return bare === null ? null : { kind, id: bare, fields: recordFields(kind, bare, data), path };
}

/** Related records of other kinds: those that the data, or the subject's own fields, carry or name. */
export function findRelated(data: JsonObject, subject: FoundRecord): FoundRecord[] {
  const holders = subject.fields === null ? [data] : [data, subject.fields];
  const found = (kinds[subject.kind].carries ?? []).flatMap(({ kind, bare, belongs }) => {
    const named = holders.map((holder) => findNamed(kind, holder)).find((one) => one !== null && (bare || one.fields));
    if (!named) return [];
    return [belongs ? linked(named, subject.id) : named];
  });
  return [...payinsOf(subject), ...found];
}

/** The payin summaries of an intent (2.1), each linked to it. */
function payinsOf({ kind, id, fields, path }: FoundRecord): FoundRecord[] {
  const list = kind !== 'payment_intent' || fields === null ? null : ownField(fields, 'payins');
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index) => {
    const at = `${path}/payins/${index}`;
    if (isText(item)) return [{ kind: 'payin' as const, id: item, fields: null, path: at }];
    const payin = isJsonObject(item) ? textId(item) : null;
    if (payin === null || !isJsonObject(item)) return [];
    return [linked({ kind: 'payin', id: payin, fields: item, path: at }, id)];
  });
}

function linked(found: FoundRecord, paymentIntentId: string): FoundRecord {
  if (found.fields === null || Object.hasOwn(found.fields, 'paymentIntentId')) return found;
  return { ...found, fields: { ...found.fields, paymentIntentId } };
}

function findNamed(kind: RecordKind, data: JsonObject): FoundRecord | null {
  for (const name of recordNames[kind].wrappers) {
    const value = ownField(data, name);
    if (isText(value)) return { kind, id: value, fields: null, path: `/${name}` };
    const id = isJsonObject(value) ? (explicitId(kind, value) ?? textId(value)) : null;
    if (id !== null && isJsonObject(value))
      return { kind, id, fields: recordFields(kind, id, value), path: `/${name}` };
  }
  const id = explicitId(kind, data);
  return id === null ? null : { kind, id, fields: null, path: '' };
}

/** The record as its own list would name it: under `id`, without the name that the payload gave its id. */
function recordFields(kind: RecordKind, id: string, data: JsonObject): JsonObject | null {
  const fields = Object.fromEntries(Object.entries(data).filter(([name]) => !recordNames[kind].ids.includes(name)));
  return Object.keys(fields).some((name) => name !== 'id') ? { ...fields, id } : null;
}

/** A time of creation alone is no sign: an envelope has one, too. */
function looksLikeRecord(kind: RecordKind, data: JsonObject): boolean {
  const { main, side, amounts, columns } = recordRules[kind];
  const texts = columns.filter(({ type }) => type !== 'time').map(({ field }) => field);
  const known = [main.field, side?.field, ...amounts, ...texts];
  return known.some((name) => name !== undefined && Object.hasOwn(data, name));
}

function explicitId(kind: RecordKind, data: JsonObject): string | null {
  const found = recordNames[kind].ids.map((name) => ownField(data, name)).find(isText);
  return found ?? null;
}

function textId(data: JsonObject): string | null {
  const id = ownField(data, 'id');
  return isText(id) ? id : null;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

const ACCOUNT_NAME = /(account|wallet)(_?id)?$/i;
/** Names that end alike and are no sub-wallet's. */
const OTHER_ACCOUNT = /settlement|merchant|owner|user/i;
/** What is echoed unchanged is the merchant's own (6.2), and names nothing of the service's. */
const NOT_THE_SERVICES = /^(meta(data)?|customer)$/i;
/** `wallet_account.deposit.completed` (specification 6.2), and the like. */
const DEPOSIT = 'deposit.';
/** A transfer has two. */
const MOST_ACCOUNTS = 8;

/**
 * The sub-wallets that a deposit or a transfer names under any name that ends in "account" or "wallet", and the transaction
 * itself where the data calls it one. The id of a deposit or transfer need not be that of a row of the feed (4.12: not
 * shown), so nothing is reported of it: its sub-wallets are to be polled. That of a deposit may be a payin's: so is that.
 */
export function findTransaction(suffix: string, data: JsonObject): FoundRecord[] {
  const named = new Map<string, FoundRecord>();
  for (const found of accountsIn(data, '', 0)) if (!named.has(found.id)) named.set(found.id, found);
  const accounts = [...named.values()];
  const deposit = suffix.startsWith(DEPOSIT) ? payinIn(data, accounts) : [];
  return [...transactionIn(data), ...deposit, ...accounts.slice(0, MOST_ACCOUNTS)];
}

/**
 * What came to the address of a sub-wallet belongs to no payment, so no list shows its payin (4.14, 4.15): the event alone
 * names it, and whose it is. Of two sub-wallets none is guessed.
 */
function payinIn(data: JsonObject, accounts: readonly FoundRecord[]): FoundRecord[] {
  const id = transactionId(data);
  const [account, ...others] = accounts;
  if (id === null) return [];
  const fields = account === undefined || others.length > 0 ? null : { id, accountId: account.id };
  return [{ kind: 'payin', id, fields, path: '' }];
}

/** The id of the deposit or transfer; null where the data names none. */
export function transactionId(data: JsonObject): string | null {
  for (const name of ['deposit', 'transfer', 'transaction']) {
    const value = ownField(data, name);
    const id = isJsonObject(value) ? textId(value) : textField(data, `${name}Id`);
    if (id !== null) return id;
  }
  return textId(data);
}

function accountsIn(data: JsonObject, path: string, depth: number): FoundRecord[] {
  return Object.entries(data).flatMap(([name, value]): FoundRecord[] => {
    if (NOT_THE_SERVICES.test(name)) return [];
    const at = `${path}/${name}`;
    const id = ACCOUNT_NAME.test(name) && !OTHER_ACCOUNT.test(name) ? accountId(value) : null;
    const own: FoundRecord[] = id === null ? [] : [{ kind: 'account', id, fields: null, path: at }];
    return isJsonObject(value) && depth < MAX_DEPTH ? [...own, ...accountsIn(value, at, depth + 1)] : own;
  });
}

function accountId(value: Json): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return isJsonObject(value) ? textId(value) : null;
}

function transactionIn(data: JsonObject): FoundRecord[] {
  const kind = 'transaction';
  for (const name of recordNames[kind].wrappers) {
    const value = ownField(data, name);
    const id = isJsonObject(value) ? textId(value) : null;
    if (id !== null && isJsonObject(value))
      return [{ kind, id, fields: recordFields(kind, id, value), path: `/${name}` }];
  }
  const id = explicitId(kind, data);
  return id === null ? [] : [{ kind, id, fields: null, path: '' }];
}
