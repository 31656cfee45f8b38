import type { Knex } from 'knex';
import type { Observation } from '../domain/observation.js';
import { autoResolveBreaks, type NewBreak, openBreaks } from './breaks.js';
import { appendChanges } from './changes.js';
import { fromDatabaseText } from './database-text.js';
import { type DerivedRow, deriveOrders } from './derive-orders.js';
import { followUpMarks, payinMarks } from './follow-up-marks.js';
import { type GroupedObservations, groupObservations } from './group-observations.js';
import { type NewMark, updateMarks } from './marks.js';
import { orderBreaks, orderChanges } from './order-follow-up.js';
import { deniedPayins, lockLinks, saveListings } from './payin-links.js';
import { readRedaction } from './personal-fields.js';
import { deniedBreaks, recordBreaks } from './record-breaks.js';
import { recordChanges } from './record-changes.js';
import type { SaveContext } from './save-context.js';
import { type SavedRecords, saveRecords } from './save-records.js';
import type { MergedRecord } from './stored-record.js';
import { type Touched, touchedOrders } from './touched-orders.js';

export type { SaveContext } from './save-context.js';

export interface SaveResult {
  /** Records that are shown otherwise than before, new ones among them. */
  changed: number;
  unchanged: number;
  breaksOpened: number;
  /** References of the orders that are other than before. */
  orders: string[];
}

interface Saved {
  payins: SavedRecords;
  intents: SavedRecords;
  orders: DerivedRow[];
  touched: Touched;
  /** Deposits that the service denies and lists at once, with the intents that list them. */
  denied: Map<string, string[]>;
}

/**
 * The one door: takes in what was observed, in any order and as often as it comes, and brings records, orders, marks,
 * breaks and the history of changes up to date in the transaction. The same observations end in the same records,
 * whoever else saves at the same time.
 *
 * Call it once per transaction, after whatever else the transaction locks: savers then never deadlock.
 */
export async function saveObservations(
  trx: Knex.Transaction,
  observations: Observation[],
  context: SaveContext,
): Promise<SaveResult> {
  const grouped = groupObservations(observations);
  const saved = await saveAll(trx, grouped, context);
  const merged = [...saved.payins.merged, ...saved.intents.merged];
  await saveMarks(trx, grouped, saved, context);
  const breaksOpened = await saveBreaks(trx, grouped, saved, context);
  await saveChanges(trx, merged, saved);
  const changed = merged.filter((record) => record.changed).length;
  return {
    changed,
    unchanged: merged.length - changed + saved.payins.touched.length + saved.intents.touched.length,
    breaksOpened,
    orders: saved.orders.map(({ after }) => fromDatabaseText(after.reference)),
  };
}

async function saveAll(trx: Knex.Transaction, { byKind }: GroupedObservations, context: SaveContext): Promise<Saved> {
  const payins = await saveRecords(trx, 'payin', byKind.payin);
  const intents = await saveRecords(trx, 'payment_intent', byKind.payment_intent);
  const changedIntents = intents.merged.filter((record) => record.changed);
  const changedPayins = payins.merged.filter((record) => record.changed);
  await lockLinks(trx, changedIntents, changedPayins);
  await saveListings(trx, changedIntents);
  const touched = await touchedOrders(trx, changedIntents, changedPayins);
  const inHand = [...intents.merged, ...payins.merged];
  const orders = await deriveOrders(trx, [...touched.orders.values()], inHand, context.kytWords);
  return { payins, intents, orders, touched, denied: await deniedPayins(trx, payins.merged) };
}

async function saveMarks(
  trx: Knex.Transaction,
  { byKind }: GroupedObservations,
  { payins, intents, touched, denied }: Saved,
  context: SaveContext,
): Promise<void> {
  const ofPayins = followUpMarks(payins, readIds(byKind.payin), context, denied);
  const ofIntents = followUpMarks(intents, readIds(byKind.payment_intent), context);
  const listed = await payinMarks(trx, intents.merged, context);
  const named = touched.unknownIntents.map(
    (id): NewMark => ({ kind: 'payment_intent', id, reason: 'intent_of_payin' }),
  );
  const ask = [...named, ...listed, ...ofPayins.ask, ...ofIntents.ask];
  await updateMarks(trx, ask, [...ofPayins.settled, ...ofIntents.settled]);
}

function readIds(groups: Map<string, Observation[]>): Set<string> {
  const isRead = ({ type }: Observation): boolean => type === 'reading' || type === 'absence';
  return new Set([...groups].flatMap(([id, observations]) => (observations.some(isRead) ? [id] : [])));
}

async function saveBreaks(
  trx: Knex.Transaction,
  { unapplied, refused }: GroupedObservations,
  { payins, intents, orders, denied }: Saved,
  context: SaveContext,
): Promise<number> {
  const merged = [...payins.merged, ...intents.merged];
  const findings = [
    ...merged.map((record) => recordBreaks(record, context)),
    ...orders.map((order) => orderBreaks(order, context)),
  ];
  const absent = payins.merged.flatMap((payin) => {
    const intents = denied.get(payin.id);
    return intents === undefined ? [] : deniedBreaks(payin, intents);
  });
  const verified = new Set(merged.flatMap(({ kind, id, shown }) => (isProven(shown) ? [`${kind} ${id}`] : [])));
  const open: NewBreak[] = unapplied
    .filter(({ observation: { kind, id } }) => !verified.has(`${kind} ${id}`))
    .map((claim) => claim.break);
  await autoResolveBreaks(
    trx,
    findings.flatMap((finding) => finding.resolve),
  );
  return openBreaks(trx, [...absent, ...findings.flatMap((finding) => finding.open), ...open, ...refused]);
}

function isProven({ verified, needsReading }: MergedRecord['shown']): boolean {
  return verified && !needsReading;
}

async function saveChanges(trx: Knex.Transaction, merged: MergedRecord[], { orders, touched }: Saved): Promise<void> {
  const changed = merged.filter((record) => record.changed);
  if (changed.length === 0 && orders.length === 0) return;
  const redact = await readRedaction(trx);
  await appendChanges(trx, [
    ...changed.flatMap((record) => recordChanges(record, redact)),
    ...orders.flatMap((order) => {
      const known = touched.orders.get(order.after.reference);
      return known === undefined ? [] : orderChanges(order, known.cause);
    }),
  ]);
}
