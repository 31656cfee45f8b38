import { isAssetCode } from '../../domain/asset-code.js';
import { valueAt } from '../../domain/events/event-key.js';
import type { Json, JsonObject } from '../../domain/json.js';
import { isSignedAmount } from '../../domain/money.js';
import { textField } from '../../domain/records.js';
import type { Contract } from '../../service-api/contract.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';
import { foundAt, overridesOf, type Probing, placeIn } from './contract-part.js';
import { dressed } from './other-names.js';
import { type EventsProbed, probeEventId, probeRestamping, readDeliveries } from './probe-events.js';
import {
  probeErrorBody,
  probeGenerated,
  probeInvoices,
  probeKytWords,
  probePayoutList,
  probePayouts,
  probePendingWords,
} from './probe-names.js';
import { findCountHeader, probeCountHeader, probeItems, probeNextCursor } from './probe-pages.js';
import { type Account, parameterTests, probeParameters } from './probe-parameters.js';
import { type Ask, type Asked, limitQuestions, MANY, NOTHING_YET, rowsOf } from './questions.js';

const SOME = 3;

export interface ContractProbed extends EventsProbed {
  /** The whole content of a CONTRACT_FILE that fits the service; null where the defaults fit. */
  suggestedContract: object | null;
}

/** Every name that the specification does not show and a read can show. Changes nothing at the service. `unasked`: why nothing is asked. */
export async function probeContract(parts: DoctorParts, unasked: string | null = null): Promise<ContractProbed> {
  const { contract } = parts;
  const ask: Ask =
    unasked === null ? limitQuestions(parts) : () => Promise.resolve({ kind: 'failed', problem: unasked });
  const probing: Probing = { ask, contract };
  const assets = fieldsOf(await ask(contract, 'listPublicAssets'), 'assetCode');
  const checks = [
    await probePayoutList(probing),
    await probeErrorBody(probing, 'code'),
    await probeErrorBody(probing, 'message'),
    await probeItems(probing),
  ];
  const account = firstAccount(await ask(probing.contract, 'listAccounts'));
  await findCountHeader(probing);
  for (const operation of Object.keys(parameterTests) as (keyof Contract['query'])[])
    checks.push(...(await probeParameters(probing, operation, { assets, account })));
  checks.push(await probeCountHeader(probing, contract), await probeNextCursor(probing));
  checks.push(...(await probeTransactionFields(probing, account)));
  checks.push(await probeInvoices(probing), await probePayouts(probing));
  checks.push(await probePendingWords(probing, parts.now()), await probeKytWords(probing));
  const deliveries = await ask(probing.contract, 'listWebhookDeliveries', MANY);
  checks.push(await probeGenerated(probing, deliveries));
  const events = await probeEvents(parts, deliveries);
  const isOther = JSON.stringify(probing.contract) !== JSON.stringify(contract);
  return {
    checks: [...checks, ...events.checks],
    suggestedContract: isOther ? overridesOf(probing.contract) : null,
    suggestedEventIdPointer: events.suggestedEventIdPointer,
  };
}

async function probeEvents({ db, config, contract }: DoctorParts, newest: Asked): Promise<EventsProbed> {
  if (newest.kind !== 'answer') {
    const checks = [unknown('event id', newest.problem), unknown('retries', newest.problem)];
    return { checks, suggestedEventIdPointer: null };
  }
  const deliveries = readDeliveries(newest.rows);
  const keyed = (await db('inbox').where({ key_type: 'id' }).first('id')) !== undefined;
  const { checks, ...suggested } = probeEventId(deliveries, {
    pointer: config.EVENT_ID_POINTER,
    auto: contract.events.idPlaces,
    keyed,
  });
  return { checks: [...checks, probeRestamping(deliveries, config.WEBHOOK_TOLERANCE_SECONDS)], ...suggested };
}

/** The first texts of a field in a list; none where it can't be read. */
function fieldsOf(asked: Asked, field: string): string[] {
  return rowsOf(asked)
    .slice(0, SOME)
    .flatMap((row) => textField(row, field) ?? []);
}

function firstAccount(asked: Asked): Account {
  const [id] = fieldsOf(asked, 'id');
  if (id !== undefined) return { id };
  return { none: asked.kind === 'answer' ? 'there is no sub-wallet to ask about' : asked.problem };
}

type Field = keyof Contract['transaction'];

interface Rule {
  others: readonly string[];
  /** Whether a value can be that of the field. */
  fits: (value: Json, accounts: ReadonlySet<string>) => boolean;
  optional?: true;
}

const isText = (value: Json): value is string => typeof value === 'string' && value !== '';
const isAnAmount = (value: Json): boolean => typeof value === 'string' && isSignedAmount(value);

const rules: { [F in Field]: Rule } = {
  id: { others: ['transactionId', 'movementId', 'entryId', 'uuid'], fits: isText },
  accountId: {
    others: ['walletAccountId', 'walletId', 'subWalletId', 'account', 'wallet', 'account/id', 'wallet/id'],
    fits: (value, accounts) => isText(value) && (accounts.size === 0 || accounts.has(value)),
  },
  assetCode: {
    others: ['asset', 'coin', 'currency', 'asset/assetCode', 'asset/code'],
    fits: (value) => isText(value) && isAssetCode(value),
  },
  type: {
    others: ['transactionType', 'kind', 'operation', 'operationType', 'category'],
    fits: (value) => isText(value) && /^[A-Za-z][\w. -]{1,60}$/.test(value),
  },
  amount: { others: ['value', 'delta', 'amountSigned', 'amountNet', 'netAmount', 'amount/value'], fits: isAnAmount },
  feeAmount: { others: ['fee', 'fees', 'fee/amount'], fits: isAnAmount, optional: true },
  createdAt: {
    others: ['created', 'date', 'timestamp', 'occurredAt', 'bookedAt', 'time'],
    fits: (value) => isText(value) && /^\d{4}-\d\d-\d\d[T ]/.test(value),
  },
  counterpartyAccountId: {
    others: ['counterpartyId', 'counterparty', 'relatedAccountId', 'otherAccountId', 'counterparty/id'],
    fits: isText,
    optional: true,
  },
};

/** Where a transaction of a sub-wallet has its parts (specification 4.11, 4.12: not shown), by what the feed shows. */
async function probeTransactionFields(probing: Probing, account: Account): Promise<Check[]> {
  const { ask, contract } = probing;
  const feed = rowsOf(await ask(contract, 'listTransactions', MANY));
  const isEnough = feed.length > 0 || 'none' in account;
  const rows = isEnough ? feed : rowsOf(await ask(contract, 'listAccountTransactions', { path: account }));
  const listed = rowsOf(await ask(contract, 'listAccounts', MANY));
  // Not every sub-wallet is on one page: then none can be asked to be on it.
  const isWhole = listed.length < MANY.query.take;
  const accounts = new Set(isWhole ? listed.flatMap((row) => textField(row, 'id') ?? []) : []);
  return (Object.keys(rules) as Field[]).map((field) => probeField(probing, field, { rows, accounts }));
}

function probeField(
  probing: Probing,
  field: Field,
  { rows, accounts }: { rows: readonly JsonObject[]; accounts: ReadonlySet<string> },
): Check {
  const { name, at, usual } = placeIn(probing.contract, 'transaction', field);
  const { others, fits, optional } = rules[field];
  if (rows.length === 0) return unknown(name, `${NOTHING_YET}, no sub-wallet has a transaction`);
  const share = (pointer: string) => rows.filter((row) => isThere(valueAt(row, pointer), fits, accounts)).length;
  const isNamed = (pointer: string) =>
    optional === true &&
    rows.every((row) => isThere(valueAt(row, pointer), (value) => value === null || fits(value, accounts), accounts));
  const usually = share(usual);
  // Of a sub-wallet that is archived nobody lists the id.
  if (usually === rows.length || (usually > 0 && (optional === true || field === 'accountId')) || isNamed(usual))
    return ok(name, `${usually} of ${rows.length} transactions show it at ${usual}`);
  const elsewhere = [field, ...others].flatMap(dressed).map((other) => `/${other}`);
  const found =
    usually > 0 ? undefined : elsewhere.find((other) => other !== usual && (share(other) > 0 || isNamed(other)));
  if (found !== undefined)
    return foundAt(probing, at, found, `transactions have nothing that fits at ${usual}, but at ${found}`);
  const none = `${usually} of ${rows.length} transactions have something that fits at ${usual}, and none at any other place that was tried`;
  if (optional === true) return unknown(name, `${none}: it may be nowhere`);
  return finding(name, none, `look at one (tallyhook api listTransactions), and set transaction.${field}`);
}

function isThere(value: Json | undefined, fits: Rule['fits'], accounts: ReadonlySet<string>): boolean {
  return value !== undefined && fits(value, accounts);
}
