import { type FamilyKind, familyKinds, isLinking, namedIn } from '../../domain/family/links.js';
import { booleanArray, integerArray } from '../database/array-parameter.js';
import { usableId } from '../database/database-text.js';
import { prepared, type Trx } from '../database/statements.js';
import type { MergedRecord } from '../stored-record.js';

export type FamilyMembers = Record<FamilyKind, MergedRecord[]>;

const GATE_CLASS = 0x7448;
const LINK_CLASS = 0x7449;
/** Of one transaction; Postgres' default table holds some 6,400 locks of all of them. */
const MOST_LOCKS = 800;

/** Those of which families are made. */
export function membersOf(records: readonly MergedRecord[]): FamilyMembers {
  const members: FamilyMembers = { payment_intent: [], payin: [], invoice: [], payout: [] };
  for (const record of records) {
    const kind = familyKinds.find((one) => one === record.kind);
    if (kind !== undefined) members[kind].push(record);
  }
  return members;
}

/** Ids of the records that a record names, or named before. */
export function namedBy({ kind, before, shown }: MergedRecord, named: FamilyKind): string[] {
  const from = familyKinds.find((one) => one === kind);
  if (from === undefined) return [];
  const now = namedIn(from, shown.fields, named);
  const ids = before === null ? now : [...namedIn(from, before.fields, named), ...now];
  return ids.length === 0 ? [] : [...new Set(ids.flatMap((id) => usableId(id) ?? []))];
}

/**
 * A payment intent and what belongs to it (payins, its invoice, refunds) may be saved by two transactions at once:
 * neither would see the other's row, and the order would be derived without it. So changes of the two that may belong
 * together exclude one another, by a lock for each id, from before the links are read until the end of the
 * transaction. Sets without an id in common don't wait for each other. A set too large for Postgres' table of locks
 * takes the gate for itself alone.
 *
 * @param further ids of payment intents whose order hangs on what is saved
 */
export async function lockLinks(trx: Trx, members: FamilyMembers, further: readonly string[]): Promise<void> {
  const { payment_intent: intents, payin, invoice, payout } = members;
  const belonging = [...payin, ...invoice, ...payout];
  const exclusive = new Set(
    [
      ...further,
      ...belonging.flatMap((record) => [record.id, ...namedBy(record, 'payment_intent')]),
      ...intents.flatMap(relistedPayins),
    ].map(lockKey),
  );
  const ofIntent = (intent: MergedRecord) => [intent.id, ...familyKinds.flatMap((kind) => namedBy(intent, kind))];
  const shared = intents.flatMap(ofIntent).map(lockKey);
  const keys = [...new Set([...exclusive, ...shared])].sort((a, b) => a - b);
  if (keys.length === 0) return;
  const alone = keys.length > MOST_LOCKS;
  const wanted = alone ? [] : keys;
  await takeLocks(trx, [
    { class: GATE_CLASS, key: 0, exclusive: alone },
    ...wanted.map((key) => ({ class: LINK_CLASS, key, exclusive: exclusive.has(key) })),
  ]);
}

/** Further ids, found after `lockLinks`: two that do this for one another's ids may be a deadlock, which is tried anew. */
export async function lockIds(trx: Trx, ids: readonly string[]): Promise<void> {
  const keys = [...new Set(ids.map(lockKey))].sort((a, b) => a - b);
  const alone = keys.length > MOST_LOCKS;
  await takeLocks(
    trx,
    alone
      ? [{ class: GATE_CLASS, key: 0, exclusive: true }]
      : keys.map((key) => ({ class: LINK_CLASS, key, exclusive: true })),
  );
}

async function takeLocks(trx: Trx, locks: { class: number; key: number; exclusive: boolean }[]): Promise<void> {
  // Begun in this moment: what is read under the locks may be sent together with them.
  await prepared(
    trx,
    'take locks',
    `SELECT CASE WHEN exclusive THEN pg_advisory_xact_lock(class, key) ELSE pg_advisory_xact_lock_shared(class, key) END
     FROM unnest(?::integer[], ?::integer[], ?::boolean[]) AS wanted (class, key, exclusive)`,
    [
      integerArray(locks.map((lock) => lock.class)),
      integerArray(locks.map((lock) => lock.key)),
      booleanArray(locks.map((lock) => lock.exclusive)),
    ],
  ).then(() => undefined);
}

/** Payins that a payment lists or listed, where that has changed: two payments that begin to list the same one exclude each other. */
export function relistedPayins(intent: MergedRecord): string[] {
  const { before, shown, changedFields } = intent;
  const isAsBefore =
    before !== null && isLinking({ absent: before.absentSince !== null, ownCall: before.ownCall }) === isLinking(shown);
  return isAsBefore && !changedFields.includes('payins') ? [] : namedBy(intent, 'payin');
}

/** Two ids of one key only wait for each other without need. */
function lockKey(id: string): number {
  let hash = 0;
  for (let index = 0; index < id.length; index++) hash = (Math.imul(hash, 31) + id.charCodeAt(index)) | 0;
  return hash;
}
