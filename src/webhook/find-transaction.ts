import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { textField } from '../domain/records.js';
import { recordNames } from './event-kinds.js';
import { explicitId, type FoundRecord, recordFields, textId } from './find-records.js';

const MAX_DEPTH = 4;
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
 * shown), so nothing is claimed of it: its sub-wallets are to be read. That of a deposit may be a payin's: so is that.
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
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
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
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    const id = isJsonObject(value) ? textId(value) : null;
    if (id !== null && isJsonObject(value)) {
      return [{ kind, id, fields: recordFields(kind, id, value), path: `/${name}` }];
    }
  }
  const id = explicitId(kind, data);
  return id === null ? [] : [{ kind, id, fields: null, path: '' }];
}
