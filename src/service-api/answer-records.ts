import { z } from 'zod';
import { definitions, type Field, type Fields } from '../domain/kinds/kinds.js';
import { amount, anything, flag, id, integer, list, object, signedAmount, text } from './answer-fields.js';

/*
 * The records of the specification, section 2, as their definitions say. Of all of them: only the id must be there, fields
 * that are not named are kept as they came, and a state may be any text, because lists of states are not complete.
 */

const plain = {
  id,
  text,
  state: text,
  time: text,
  amount,
  signed: signedAmount,
  total: signedAmount,
  flag,
  whole: integer,
  texts: z.array(z.string()).nullish(),
  list,
  object,
  any: anything,
} satisfies Partial<Record<Field['type'], z.ZodType>>;

/** A word of the service: one of those that are known, or any other. */
type Word<Known> = (keyof Known & string) | (string & {});

type CheckedField<F> = F extends { type: 'records'; of: infer O extends Fields }
  ? z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodObject<Checked<O>, z.core.$loose>>>>
  : F extends { type: 'record'; of: infer O extends Fields }
    ? z.ZodOptional<z.ZodNullable<z.ZodObject<Checked<O>, z.core.$loose>>>
    : F extends { type: 'state'; states: infer Known }
      ? z.ZodOptional<z.ZodNullable<z.ZodType<Word<Known>>>>
      : F extends { type: keyof typeof plain }
        ? (typeof plain)[F['type']]
        : never;
type Checked<F extends Fields> = {
  -readonly [N in keyof F as F[N] extends { only: string } ? never : N]: CheckedField<F[N]>;
};
type Created<F extends Fields> = {
  -readonly [N in keyof F as F[N] extends { only: 'created' } ? N : never]: CheckedField<F[N]>;
};

function schemaOf(field: Field): z.ZodType {
  if (field.type === 'records') return z.array(z.looseObject(named(field.of, undefined))).nullish();
  return field.type === 'record' ? z.looseObject(named(field.of, undefined)).nullish() : plain[field.type];
}

function named(fields: Fields, only: Field['only']): Record<string, z.ZodType> {
  const asked = Object.entries(fields).filter(([, field]) => field.only === only);
  return Object.fromEntries(asked.map(([name, field]) => [name, schemaOf(field)]));
}

/** Of a list, the detail, and of any other answer that has the record. */
const shown = <F extends Fields>({ fields }: { fields: F }) => named(fields, undefined) as Checked<F>;
/** What the answer to its creation has besides. */
const created = <F extends Fields>({ fields }: { fields: F }) => named(fields, 'created') as Created<F>;

export const paymentIntent = z.looseObject({ id, ...shown(definitions.payment_intent) });
export type PaymentIntent = z.output<typeof paymentIntent>;

export const directPayment = paymentIntent.extend(created(definitions.payment_intent));
export type DirectPayment = z.output<typeof directPayment>;

export const payin = z.looseObject({ id, ...shown(definitions.payin) });
export type Payin = z.output<typeof payin>;

export const invoice = z.looseObject({ id, ...shown(definitions.invoice) });
export type Invoice = z.output<typeof invoice>;

export const payout = z.looseObject({ id, ...shown(definitions.payout) });
export type Payout = z.output<typeof payout>;

export const account = z.looseObject({ id: text, ...shown(definitions.account) });
export type SubWallet = z.output<typeof account>;

export const transaction = z.looseObject({ id: text, ...shown(definitions.transaction) });
export type Transaction = z.output<typeof transaction>;

export const balance = z.looseObject(shown(definitions.balance));
export type Balance = z.output<typeof balance>;

export const settlementAccount = z.looseObject({ id, ...shown(definitions.settlement_account) });
export type SettlementAccount = z.output<typeof settlementAccount>;

export const product = z.looseObject({ id, ...shown(definitions.product) });
export type Product = z.output<typeof product>;

export const publicAsset = z.looseObject(shown(definitions.asset));
export type PublicAsset = z.output<typeof publicAsset>;

export const webhookEndpoint = z.looseObject({ id, ...shown(definitions.endpoint) });
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;

/** Specification 2.7. */
export const settlementMethods = z.looseObject({
  provider: z.looseObject({ id: text, name: text }).nullish(),
  paymentMethods: z.array(
    z.looseObject({
      id: text,
      providerPaymentMethodId: text,
      providerPaymentMethodCode: text,
      minimumAmount: amount,
      addressPattern: text,
      addressFormatExample: text,
      displayName: text,
      accountType: text,
      country: text,
      network: text,
      currency: text,
    }),
  ),
});
export type SettlementMethods = z.output<typeof settlementMethods>;

/** Specification 2.10. */
export const merchantAsset = z.looseObject({ assetCode: id, isActive: flag });
export type MerchantAsset = z.output<typeof merchantAsset>;

/** Specification 2.13. `payload` is kept as it came. */
const webhookDelivery = z.looseObject({
  id: id,
  endpointId: text,
  endpointUrl: text,
  eventType: text,
  status: text,
  httpStatus: integer,
  responseBody: anything,
  responseHeaders: anything,
  payload: anything,
  attempts: integer,
  lastAttemptAt: text,
  nextRetryAt: text,
  createdAt: text,
  attemptsList: list,
});

/** Specification 4.22. */
export const deliveryPage = z.looseObject({ items: z.array(webhookDelivery), nextCursor: z.string().nullish() });
export type DeliveryPage = z.output<typeof deliveryPage>;
