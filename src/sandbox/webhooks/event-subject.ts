/** What deliveries can be searched by (specification 4.22). */
export interface EventReferences {
  paymentIntentId?: string | null;
  payoutId?: string | null;
  depositId?: string | null;
  /** Source and destination of a transfer. */
  accountIds?: readonly (string | null)[];
}

/** What an event is about. Texts are JSON objects. */
export interface EventSubject {
  name: 'paymentIntent' | 'invoice' | 'payout' | 'deposit' | 'transfer';
  id: string;
  record: string;
  /** The few fields that matter most. */
  digest: string;
  references: EventReferences;
}

export type PayloadShape = 'full' | 'partial' | 'wrapped' | 'bare';

/** `data` of an event. Its content is not shown in the specification: each shape is one that a service might send. */
export function eventData({ name, id, record, digest }: EventSubject, shape: PayloadShape): string {
  switch (shape) {
    case 'full':
      return record;
    case 'partial':
      return digest;
    case 'wrapped':
      return `{${JSON.stringify(name)}:${record}}`;
    case 'bare':
  }
  return JSON.stringify({ [`${name}Id`]: id });
}

/** A subject made of a record without texts of the caller's own in it. */
export function subjectOf<R extends { id: string }>(
  name: EventSubject['name'],
  record: R,
  digest: readonly (keyof R)[],
  references: EventReferences,
): EventSubject {
  const few = Object.fromEntries(digest.map((field) => [field, record[field]]));
  return { name, id: record.id, record: JSON.stringify(record), digest: JSON.stringify(few), references };
}
