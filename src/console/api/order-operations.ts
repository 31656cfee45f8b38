import { z } from 'zod';
import { ASSET_CODE } from '../../domain/asset-code.js';
import { asOfMoment } from '../../domain/books/as-of.js';
import { rulesOf } from '../../domain/orders/order-facts.js';
import { amountProblem, currencyProblem, EXPECTED_AMOUNT } from '../../domain/orders/registration.js';
import { type OrderAsOfAnswer, orderAsOfShape, orderDetailShape, orderShape } from '../../domain/views/order-shapes.js';
import { described } from '../../domain/views/parts.js';
import { LONGEST_KEY_BYTES } from '../../records/database/database-text.js';
import type { Trx } from '../../records/database/statements.js';
import { orderAsOf } from '../../records/orders/order-as-of.js';
import { getOrder, registerOrder, withdrawRegistration } from '../../records/orders/orders.js';
import type { RegisterOrderResult, RegistrationAsking, RegistrationDone } from '../../records/orders/register-order.js';
import type { ApiDeps } from '../api-deps.js';
import { badRequest, conflict, notHere, Problem } from '../problem.js';
import { keepAction } from './keep-action.js';
import { wholeNumber } from './list-query.js';
import { type Asked, type Operation, operation } from './operation.js';
import { createProvenOrder } from './proven-order.js';

const body = z.strictObject({
  amount: z
    .string()
    .refine((given) => amountProblem(given) === null, { error: ({ input }) => amountProblem(String(input)) })
    .meta({ description: 'A decimal string above zero.', pattern: EXPECTED_AMOUNT, examples: ['49.90'] }),
  currency: z
    .string()
    .refine((given) => currencyProblem(given) === null, { error: ({ input }) => currencyProblem(String(input)) })
    .meta({ description: 'Fiat or crypto code, in upper case.', pattern: ASSET_CODE, examples: ['EUR'] }),
});

const reference = {
  description: 'The store’s own reference, byte for byte; 1 to 1,000 bytes.',
  example: 'A-1001',
  limits: { minLength: 1, maxLength: LONGEST_KEY_BYTES },
};

const takesMoment = 'takes a day such as 2026-10-31, or a moment such as 2026-10-31T18:00Z';
const moment = z.string(takesMoment).max(40, takesMoment);

const provenOrder = createProvenOrder();

export const getOrderOperation: Operation = operation({
  id: 'getOrder',
  method: 'get',
  path: '/orders/{reference}',
  group: 'Orders',
  summary: 'One order',
  description:
    'With `provenWithin` its payments and payins are read again first where it is safe and `provenAt` is older; ask so just before goods go out.',
  params: { reference },
  query: z.strictObject({
    asOf: moment.optional().meta({
      description: 'Ask at `/orders/{reference}/as-of`: with this the answer is the one that is described there.',
      examples: ['2026-10-31'],
      deprecated: true,
    }),
    provenWithin: wholeNumber(86_400, 'whole number of seconds').meta({
      description: 'How old the proof of a safe order may be, in seconds. Never together with `asOf`.',
      examples: [60],
    }),
  }),
  answers: { 200: { description: 'The order.', shape: orderDetailShape } },
  refusals: {
    404: 'There is no such record here.',
    503: 'The database can not be asked now. Or, by `code`: `not_proven_in_time`, the order is safe by an older proof than `provenWithin` asks for, and could not be read again in time; `too_many_waiting`, polls of too many orders are waited for. Ask again after Retry-After.',
  },
  answer: async (deps, { params: { reference }, query: { asOf, provenWithin }, signal }) => {
    if (asOf !== undefined) {
      if (provenWithin === undefined) return { body: await detailsAsOf(deps, reference, { asOf, parameter: 'asOf' }) };
      const why = 'asOf and provenWithin are given; give one: what was known then can not be read again.';
      throw badRequest(why, { parameter: 'asOf' });
    }
    const order = await (provenWithin === undefined
      ? getOrder(deps.db, reference)
      : provenOrder(deps, { reference, within: provenWithin, signal }));
    if (order === null) throw missingOrder(reference);
    return { body: order };
  },
});

export const getOrderAsOfOperation: Operation = operation({
  id: 'getOrderAsOf',
  method: 'get',
  path: '/orders/{reference}/as-of',
  group: 'Orders',
  summary: 'One order as it was known then',
  description: 'Read from the history of changes: what was known here at a time, not as things stood at the service.',
  params: { reference },
  query: z.strictObject({
    at: described(moment, 'A day (its end in BOOKS_TIMEZONE) or a moment, ISO 8601.', '2026-10-31'),
  }),
  answers: { 200: { description: 'The order as it was known.', shape: orderAsOfShape } },
  refusals: { 404: 'There is no such record here, or there was none then.' },
  answer: async (deps, { params: { reference }, query: { at } }) => ({
    body: await detailsAsOf(deps, reference, { asOf: at, parameter: 'at' }),
  }),
});

async function detailsAsOf(
  { db, books }: ApiDeps,
  asked: string,
  { asOf, parameter }: { asOf: string; parameter: 'at' | 'asOf' },
): Promise<OrderAsOfAnswer> {
  const moment = asOfMoment(asOf, books.timeZone);
  if (moment === null) throw badRequest(`${parameter} ${takesMoment}.`, { parameter });
  const result = await orderAsOf(db, asked, moment);
  if (result.outcome === 'not_found') throw missingOrder(asked);
  if (result.outcome === 'not_yet_known') throw notHere(`The order was first known here at ${result.firstKnownAt}.`);
  const { reference, asOf: at, order, toldLater, paymentIntents, payins, invoices, refunds } = result.details;
  const records = [...paymentIntents, ...payins, ...invoices, ...refunds];
  return { reference, asOf: at, ...order, toldLater, records };
}

const refusals = {
  409: 'It is registered with another amount or currency and If-Match is left out, or money came in; `existing` is what stands.',
  412: 'The order is not the one that If-Match names; nothing was changed.',
};

export const registerOrderOperation: Operation = operation({
  id: 'registerOrder',
  method: 'put',
  path: '/orders/{reference}',
  group: 'Orders',
  summary: 'Register what the store expects',
  description:
    'Before or after the payment is created, or paid, as often as wanted: the same amount and currency again change nothing. With `If-Match` another amount or currency takes their place while no money came in.',
  roles: ['operator'],
  params: { reference },
  body,
  takesIfMatch: true,
  answers: {
    200: { description: 'It was registered so before, or is changed now.', shape: orderShape },
    201: { description: 'It is registered now.', shape: orderShape },
  },
  refusals,
  answer: async (deps, asked) => {
    const { amount, currency } = asked.body;
    const result = await register(deps, asked, {
      action: 'register order',
      details: { amount, currency },
      work: (trx, own, asking) => registerOrder(trx, { reference: own, amount, currency }, asking),
    });
    return { status: result.outcome === 'created' ? 201 : 200, body: result.order };
  },
});

export const withdrawRegistrationOperation: Operation = operation({
  id: 'withdrawRegistration',
  method: 'delete',
  path: '/orders/{reference}',
  group: 'Orders',
  summary: 'Withdraw what the store registered',
  description:
    'While no money came in. The order stays, as one that is not registered, and so does its history. With `If-Match` only where the order is still the one that it names.',
  roles: ['operator'],
  params: { reference },
  takesIfMatch: true,
  answers: { 200: { description: 'It is not registered, now or already.', shape: orderShape } },
  refusals: { ...refusals, 404: 'There is no such order.' },
  answer: async (deps, asked) => {
    const about = { action: 'withdraw registration', details: {}, work: withdrawRegistration };
    return { body: (await register(deps, asked, about)).order };
  },
});

interface Registering {
  action: string;
  details: Readonly<Record<string, unknown>>;
  /** Null: there is no such order. */
  work: (trx: Trx, own: string, asking: RegistrationAsking) => Promise<RegisterOrderResult | null>;
}

/** What was done, or a problem; who asked is kept either way. */
async function register(
  { db, log, ...deps }: ApiDeps,
  { actor, params: { reference: own }, matches }: Asked<unknown, unknown, 'reference'>,
  { action, details, work }: Registering,
): Promise<RegistrationDone> {
  const isCurrent = async (trx: Trx): Promise<boolean> => {
    const order = await getOrder(trx, own);
    return order !== null && (matches?.(order) ?? true);
  };
  const asking = { actor: actor.name, rules: rulesOf(deps), ...(matches === null ? {} : { isCurrent }) };
  const result = await db.transaction(async (trx) => {
    const done = await work(trx, own, asking);
    if (done === null) return done;
    await keepAction({ db: trx, log }, actor, {
      action,
      target: `order ${own}`,
      details: { ...details, outcome: done.outcome },
      outcome: 'order' in done ? 'done' : 'refused',
    });
    return done;
  });
  if (result === null) throw missingOrder(own);
  if ('order' in result) return result;
  const { expected: existing, outcome } = result;
  if (outcome === 'received') throw conflict('Money came in for the order: what is registered stands.', { existing });
  if (outcome !== 'stale') throw conflict('The order is registered with another amount or currency.', { existing });
  const why = 'The order is not the one that If-Match names; get it again.';
  throw new Problem(412, 'Precondition failed', why, { existing });
}

const missingOrder = (own: string): Problem => notHere(`There is no order "${own.slice(0, 80)}" here.`);
