import { compareText } from '../record-state.js';
import { textField } from '../records.js';
import { referenceOf, type ShownRecord } from './links.js';

/** A call of our own that gives a payment back, and of which the records don't know yet what came. */
export interface OpenCall {
  operation: 'createRefund';
  key: string;
  paymentIntentId: string;
  begunAt: Date;
  /** What its answer named; null: no answer is known. */
  objectId: string | null;
  undecided: boolean;
}

/** By which the clocks of the service and of our database may be apart. */
const APART_MS = 600_000;

type Record = Pick<ShownRecord, 'id' | 'fields'>;

/** The refund call of unknown outcome that may have made this unlinked payout. It links nothing: only who settles the call does. */
export function makerOf<Call extends OpenCall>(
  payout: Record,
  calls: readonly Call[],
  payments: readonly Record[],
): Call | undefined {
  const paymentOf = ({ paymentIntentId }: OpenCall) => payments.find(({ id }) => id === paymentIntentId);
  return calls
    .toSorted((a, b) => a.begunAt.getTime() - b.begunAt.getTime() || compareText(a.key, b.key))
    .find((call) => mayHaveMade(call, payout, paymentOf(call)));
}

/** Those that none of the calls can have made, though each made one: where there are more payouts than calls, the later ones. */
export function madeByOthers<R extends Record>(
  payouts: readonly R[],
  calls: readonly OpenCall[],
  payments: readonly Record[],
): R[] {
  let left = [...calls];
  return payouts
    .toSorted((a, b) => madeAt(a) - madeAt(b) || compareText(a.id, b.id))
    .filter((payout) => {
      const maker = makerOf(payout, left, payments);
      left = left.filter((call) => call !== maker);
      return maker === undefined;
    });
}

/** What its answer named; without an answer a payout since then, of the payment's asset and of no other order. */
function mayHaveMade({ objectId, begunAt }: OpenCall, payout: Record, payment: Record | undefined): boolean {
  if (objectId !== null) return objectId === payout.id;
  const agree = (read: (fields: Record['fields']) => string | null) => {
    const [here, there] = [read(payout.fields), payment === undefined ? null : read(payment.fields)];
    return here === null || there === null || here === there;
  };
  const isLater = madeAt(payout) >= begunAt.getTime() - APART_MS;
  return isLater && agree(referenceOf) && agree((fields) => textField(fields, 'assetCode'));
}

function madeAt({ fields }: Record): number {
  const at = Date.parse(textField(fields, 'createdAt') ?? '');
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}
