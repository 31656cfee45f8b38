import type { JsonObject } from '../json.js';
import type { Shown } from '../merge.js';
import { type Claim, isReport } from '../record-state.js';
import { textField } from '../records.js';
import { isGone, type ShownRecord } from './links.js';

/** A record as it may decide, of all that is shown of it. */
export function shownRecordOf(id: string, shown: Shown): ShownRecord {
  return {
    id,
    fields: shown.fields,
    verified: shown.verified,
    verifiedAt: shown.verifiedAt,
    absent: shown.absent,
    unknown: !shown.known,
    doubted: shown.doubted,
    saysPaid: saysPaid(shown),
    ownCall: shown.ownCall,
  };
}

/** A report says that the payment was collected, which nothing else shows. */
export function saysPaid({ reported, doubted, known }: Shown): boolean {
  if (reported === null || (known && !doubted)) return false;
  return textField(reported, 'status') === 'completed' || textField(reported, 'irregularStatus') === 'encashed';
}

/** Such a payment shows on the order that the report names, as long as nothing but reports speaks of it. */
export function isSaidAlone(payment: Pick<ShownRecord, 'absent' | 'unknown' | 'saysPaid'>): boolean {
  return payment.saysPaid === true && payment.unknown === true && !isGone(payment);
}

/** Of which payment or order reports alone say that a payout gives it back. */
export interface SaidRefund {
  payment: string | null;
  reference: string | null;
  /** The newest report of the payout; milliseconds of the service's clock. */
  until: number | null;
}

export function saidRefund(shown: Shown, claims: readonly Claim[]): SaidRefund {
  return {
    payment: textField(shown.reported ?? {}, 'paymentIntentId'),
    reference: mayRefund(shown) ? textField(shown.reported ?? {}, 'merchantReference') : null,
    until: claims.filter(isReport).reduce<number | null>((newest, { to }) => Math.max(newest ?? to, to), null),
  };
}

/** Nobody sends a withdrawal, or a settlement, back to a customer. */
function mayRefund({ reported, fields }: { reported: JsonObject | null; fields: JsonObject }): boolean {
  const type = textField(fields, 'payoutType') ?? textField(reported ?? {}, 'payoutType') ?? '';
  return !/withdraw|internal|settle/i.test(type);
}

/** What was found out of a payout that reports link. */
export interface Looked {
  known: boolean;
  absent: boolean;
  /** Other sources than reports say of which payment it is. */
  linked: boolean;
  /** The delivery history was read for it since the newest of the reports. */
  searched: boolean;
  /** A person said whose it is. */
  assigned: boolean;
}

/** Neither list, nor history, nor a person has decided on what reports say of the payout: it withholds. */
export function isUndecided({ known, absent, linked, searched, assigned }: Looked): boolean {
  if (assigned) return false;
  return known ? !linked && !searched : !absent;
}
