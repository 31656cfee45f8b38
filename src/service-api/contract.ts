import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { usualIdPlaces } from '../domain/events/event-key.js';
import type { Json } from '../domain/json.js';
import { JsonTextError, parseJson } from '../domain/json-table/read-table.js';
import { defaultKytWords, kytWord } from '../domain/orders/kyt.js';
import { ConfigError } from '../errors.js';
import { movements } from './contract-movements.js';
import { paymentIntentStates } from './queries.js';

const MAX_DEPTH = 32;

const kytWords = (fallback: readonly string[]) =>
  z.array(z.string().transform(kytWord).pipe(z.string().min(1, 'a word'))).default([...fallback]);

/** Words of `kytStatus` (2.2): goods wait for a payin whose word is not among those that passed. A list replaces ours. */
const kyt = z
  .strictObject({
    passed: kytWords(defaultKytWords.passed),
    pending: kytWords(defaultKytWords.pending),
    rejected: kytWords(defaultKytWords.rejected),
  })
  .refine((given) => areDistinct(Object.values(given).flat()), 'each word in one list, once')
  .prefault({});

/** A text that is of a form, such as `accepted`. */
const like = (form: RegExp, accepted: string) => (fallback: string) =>
  z.string().regex(form, accepted).default(fallback);

const name = like(/^[\w.~[\]-]+$/, 'a query parameter: letters, digits and _ . ~ - [ ]');
const pointer = like(/^(\/([^~/]|~[01])*)+$/, 'a JSON pointer such as /error/code');
const path = like(/^(\/[\w.~-]*[\w~-])+$/, 'a path such as /v1/payouts');
const header = like(/^[\w-]+$/, 'a header such as X-Total-Count');

/** At most one is a header, because headers are not signed; `/data/id` is the record's. */
const idPlaces = z
  .array(
    z
      .string()
      .regex(/^(header:[\w-]+|(\/([^~/\s]|~[01])+)+)$/, 'a JSON pointer such as /eventId, or header:Name')
      .refine((place) => place !== '/data/id', 'another place than /data/id, which is the record’s'),
  )
  .refine((places) => places.filter((place) => place.startsWith('header:')).length <= 1, 'no more than one header')
  .default([...usualIdPlaces]);

const words = (...fallback: string[]) => z.array(z.string().min(1).max(100)).default(fallback);

type Texts<N extends string> = Record<N, ReturnType<typeof name>>;

/**
 * Names of one operation's query parameters, ours unless given, each its own: two filters under one name would be one
 * filter. `shown`: the names that the specification gives away for the same operation.
 */
const names = <const N extends string>(own: readonly N[], shown: readonly string[] = []) =>
  z
    .strictObject(Object.fromEntries(own.map((one) => [one, name(one)])) as Texts<N>)
    .refine((given) => areDistinct([...Object.values(given), ...shown]), 'another name for each parameter')
    .prefault({} as never);

/** Where these stand; at the top, unless given. */
const pointers = <const N extends string>(...fields: N[]) =>
  z.strictObject(Object.fromEntries(fields.map((one) => [one, pointer(`/${one}`)])) as Texts<N>).prefault({} as never);

/**
 * Every name that the specification does not show and that something here reads, with its default. docs/contract.md has
 * the table; CONTRACT_FILE overrides any part of it. Query parameters stand under the operation that sends them.
 */
const schema = z.strictObject({
  query: z
    .strictObject({
      listPaymentIntents: names(['status', 'assetCode', 'productId', 'posTerminalId', 'invoiceId'], ['cursor', 'take']),
      listInvoices: names(['merchantReference'], ['cursor', 'take', 'status']),
      listAccounts: names(['status', 'search', 'cursor', 'take']),
      listTransactions: names(['from', 'to', 'page', 'take']),
      listAccountTransactions: names(['cursor', 'take']),
      listWebhookDeliveries: names([
        'take',
        'cursor',
        'paymentIntentId',
        'payoutId',
        'depositId',
        'accountId',
        'endpointId',
      ]),
      listSettlementPaymentMethods: names(['assetCode']),
      listPayouts: names(['status', 'cursor', 'take']),
    })
    .prefault({}),
  paths: z.strictObject({ listPayouts: path('/v1/payouts') }).prefault({}),
  pages: pointers('items', 'nextCursor'),
  headers: z.strictObject({ totalCount: header('X-Total-Count') }).prefault({}),
  error: pointers('code', 'message'),
  links: z.strictObject({ invoice: pointers('merchantReference'), payout: pointers('paymentIntentId') }).prefault({}),
  kyt,
  movements,
  transaction: pointers(
    'id',
    'accountId',
    'assetCode',
    'type',
    'amount',
    'feeAmount',
    'createdAt',
    'counterpartyAccountId',
  ),
  deliveries: z
    .strictObject({
      pending: words('pending'),
      /** Whether the history has the test sends of the dashboard. */
      testSends: z.enum(['listed', 'unlisted', 'unknown']).default('unknown'),
    })
    .prefault({}),
  events: z
    .strictObject({
      needed: words(
        'payment_intent.completed',
        'payout.failed',
        'wallet_account.deposit.completed',
        'wallet_account.transfer.completed',
      ),
      /** By the type of an event, the states of a payment that it reports. */
      generated: z
        .record(
          z.string().regex(/^payment_intent\.[a-z_.]{1,80}$/, 'the type of an event about a payment'),
          z.array(z.enum(paymentIntentStates)),
        )
        .default({ 'payment_intent.completed': ['completed'] }),
      idPlaces,
    })
    .prefault({}),
});

export type Contract = z.output<typeof schema>;

export const defaultContract: Contract = schema.parse({});

/**
 * The defaults, overridden by the parts that the JSON file gives; without a file the defaults alone.
 * @throws {ConfigError} where the file can't be read, is not JSON, has a key that is not known, or a wrong value.
 */
export async function loadContract(file?: string): Promise<Contract> {
  if (file === undefined) return defaultContract;
  const given = readJson(file, await readText(file));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigError([`CONTRACT_FILE (${file})`, ...parsed.error.issues.flatMap(explain)].join('\n    '));
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`CONTRACT_FILE: ${file} can't be read`, { cause: error });
  }
}

function readJson(file: string, text: string): Json {
  try {
    return parseJson(text, MAX_DEPTH);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new ConfigError(`CONTRACT_FILE: ${file} is not JSON: ${error.message}`, { cause: error });
  }
}

function explain(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${[...at, key].join('.')} is not known`);
  const accepted = issue.code === 'invalid_type' ? `a value of type ${issue.expected}` : issue.message;
  return [`${at.join('.') || 'the whole'}: accepted is ${accepted}`];
}

function areDistinct(given: readonly unknown[]): boolean {
  return new Set(given).size === given.length;
}
