import { UNAPPLIED } from '../../domain/breaks/contract-violation.js';
import { hashOfText } from '../../domain/canonical-json.js';
import type { Observation } from '../../domain/observation.js';
import { amountViolations, type RecordKind, recordKinds } from '../../domain/records.js';
import { boundReported } from '../breaks/bound-reported.js';
import { autoResolveBreaks, type NewBreak, openBreaks } from '../breaks/breaks.js';
import { appendChanges, type NewChange, readRedaction, recordChanges } from '../changes.js';
import { keyText } from '../database/database-text.js';
import { SAVING, type Trx, together } from '../database/statements.js';
import { lockAffected } from '../family/affected.js';
import { membersOf } from '../family/lock.js';
import { deniedPayins, noteKyt, saveListings } from '../family/payins.js';
import { type DerivedRow, deriveOrders, type TouchedOrders, touchedOrders } from '../orders/derive-orders.js';
import { orderBreaks, orderChanges } from '../orders/order-follow-up.js';
import { saveReportedRefunds } from '../orders/searched.js';
import { findOrLockHeads, nothingFound } from '../record-columns.js';
import type { NewRefreshRequest } from '../runs/refresh-requests.js';
import { updateRefreshRequests } from '../runs/settle-requests.js';
import { saveSearchKeys } from '../search/search-keys.js';
import type { MergedRecord, SaveContext } from '../stored-record.js';
import { followUpRequests, linkedRequests, payinRequests } from './follow-up-requests.js';
import { deniedBreaks, recordBreaks } from './record-breaks.js';
import { mergeAgain, type SavedRecords, saveRecords } from './save-records.js';

export interface SaveResult {
  /** Records that are shown otherwise than before, new ones among them. */
  changed: number;
  breaksOpened: number;
}

interface Saved extends SavedRecords {
  /** Asked where payins were saved. */
  showsKyt: boolean;
  orders: DerivedRow[];
  ordersTouched: TouchedOrders;
  /** Refresh requests of records that changed ones name. */
  asked: NewRefreshRequest[];
  /** Payins that the service denies and lists at once, with the intents that list them. */
  denied: Map<string, string[]>;
}

/**
 * The single write path: takes in what was observed, in any order and as often as it comes, and brings records, orders, refresh requests,
 * breaks and the history of changes up to date in the transaction. The same observations end in the same records,
 * whoever else saves at the same time.
 *
 * Call it once per transaction, after whatever else the transaction locks: savers then never deadlock.
 */
export async function saveObservations(
  trx: Trx,
  observations: Observation[],
  context: SaveContext,
): Promise<SaveResult> {
  const grouped = groupObservations(observations);
  const [, saved] = await together(beginSaving(trx), saveAll(trx, grouped, context));
  const saveWork = async (): Promise<number> => {
    await saveRefreshRequests(trx, grouped, saved, context);
    return saveBreaks(trx, grouped, saved, context);
  };
  const changes = await changesOf(trx, saved);
  const [breaksOpened] = await together(saveWork(), appendChanges(trx, changes), saveSearchKeys(trx, saved.merged));
  return { changed: saved.merged.filter((record) => record.changed).length, breaksOpened };
}

/** Records that were saved by an older law are shown by this one; their orders with them. Returns how many changed. */
export async function showAgain(trx: Trx, kind: RecordKind, ids: string[], context: SaveContext): Promise<number> {
  await beginSaving(trx);
  const merged = await mergeAgain(trx, kind, ids, context);
  const saved = await follow(trx, { merged, touched: [] }, context);
  await updateRefreshRequests(trx, saved.asked, []);
  const changes = await changesOf(trx, saved);
  await appendChanges(
    trx,
    changes.map((change) => ({ ...change, source: { type: 'contract', ref: 'release' } })),
  );
  return merged.filter((record) => record.changed).length;
}

async function beginSaving(trx: Trx): Promise<void> {
  await trx.raw(SAVING);
}

/** While the records of one kind are written, those of the next are looked up: behind whatever locks the first ones. */
async function saveAll(trx: Trx, { byKind }: GroupedObservations, context: SaveContext): Promise<Saved> {
  const merged: MergedRecord[] = [];
  const again: Observation[] = [];
  const kinds = [...byKind].filter(([, groups]) => groups.size > 0);
  const find = (place: number) => {
    const [kind, groups] = kinds[place] ?? [];
    return kind === undefined ? Promise.resolve(nothingFound) : findOrLockHeads(trx, kind, [...(groups?.keys() ?? [])]);
  };
  let found = await find(0);
  for (const [place, [kind, groups]] of kinds.entries()) {
    const [saved, next] = await together(saveRecords(trx, kind, { groups, found }, context), find(place + 1));
    merged.push(...saved.merged);
    again.push(...saved.touched);
    found = next;
  }
  return follow(trx, { merged, touched: again }, context);
}

/** What follows from merged records for the orders, and for what is to be read. */
async function follow(trx: Trx, { merged, touched }: SavedRecords, context: SaveContext): Promise<Saved> {
  const members = membersOf(merged.filter((record) => record.changed));
  const affected = await lockAffected(trx, members, context);
  await saveListings(trx, members.payment_intent);
  await saveReportedRefunds(
    trx,
    merged.filter(({ kind }) => kind === 'payout'),
    context,
  );
  const hasPayins = touched.some(isPayin) || merged.some(isPayin);
  const ordersTouched = touchedOrders(members, affected);
  const [showsKyt, orders] = await together(
    hasPayins ? noteKyt(trx, members.payin) : Promise.resolve(false),
    deriveOrders(trx, [...ordersTouched.values()], merged, context),
  );
  const asked = await linkedRequests(trx, members, affected, { ...context, releasing: releasingOf(orders) });
  return { merged, touched, showsKyt, orders, ordersTouched, asked, denied: await deniedPayins(trx, merged) };
}

/** Orders whose goods may go out, or that webhooks alone hold: what is said of them is polled first. */
function releasingOf(orders: readonly DerivedRow[]): Set<string> {
  const releasing = orders.filter(({ after }) => after.release_safe || after.held_by_reports);
  return new Set(releasing.map(({ after }) => after.reference));
}

async function saveRefreshRequests(
  trx: Trx,
  { byKind }: GroupedObservations,
  saved: Saved,
  given: SaveContext,
): Promise<void> {
  const context = { ...given, showsKyt: saved.showsKyt };
  const { ask, settled } = followUpRequests(saved, readIds(byKind), context, saved.denied);
  const listed = await payinRequests(trx, saved.merged, context);
  await updateRefreshRequests(trx, [...saved.asked, ...listed, ...ask], settled);
}

const isPayin = ({ kind }: { kind: RecordKind }): boolean => kind === 'payin';

/** Kind and id of the records that were read. */
function readIds(byKind: GroupedObservations['byKind']): Set<string> {
  const isRead = ({ type }: Observation): boolean => type === 'poll' || type === 'absence';
  return new Set(
    [...byKind].flatMap(([kind, groups]) =>
      [...groups].flatMap(([id, observations]) => (observations.some(isRead) ? [`${kind} ${id}`] : [])),
    ),
  );
}

async function saveBreaks(
  trx: Trx,
  { unapplied, refused }: GroupedObservations,
  { merged, orders, denied }: Saved,
  context: SaveContext,
): Promise<number> {
  const findings = [
    ...merged.map((record) => recordBreaks(record, context)),
    ...orders.map((order) => orderBreaks(order, context)),
  ];
  const absent = merged.flatMap((record) => {
    const intents = record.kind === 'payin' ? denied.get(record.id) : undefined;
    return intents === undefined ? [] : deniedBreaks(record, intents);
  });
  const verified = new Set(merged.flatMap(({ kind, id, shown }) => (isProven(shown) ? [`${kind} ${id}`] : [])));
  const open: NewBreak[] = unapplied
    .filter(({ observation: { kind, id } }) => !verified.has(`${kind} ${id}`))
    .map((statement) => statement.break);
  await autoResolveBreaks(
    trx,
    findings.flatMap((finding) => finding.resolve),
  );
  const found = findings.flatMap((finding) => finding.open);
  return openBreaks(trx, await boundReported(trx, [...absent, ...found, ...open, ...refused]));
}

const isProven = ({ verified, needsPoll }: MergedRecord['shown']): boolean => verified && !needsPoll;

async function changesOf(trx: Trx, { merged, orders, ordersTouched }: Saved): Promise<NewChange[]> {
  const changed = merged.filter((record) => record.changed);
  const changedOrders = orders.filter((order) => order.changed);
  if (changed.length === 0 && changedOrders.length === 0) return [];
  const redact = await readRedaction(trx);
  return [
    ...changed.flatMap((record) => recordChanges(record, redact)),
    ...changedOrders.flatMap((order) => {
      const known = ordersTouched.get(order.after.reference);
      return known === undefined ? [] : orderChanges(order, known.cause);
    }),
  ];
}

interface GroupedObservations {
  /** By kind, in the order in which the tables are locked; each by id. Kinds of which nothing was observed are empty. */
  byKind: ReadonlyMap<RecordKind, Map<string, Observation[]>>;
  /** Of statements that could not be applied as they stand: they became mentions. */
  unapplied: { observation: Observation; break: NewBreak }[];
  /** Of observations that no row can hold. */
  refused: NewBreak[];
}

/** Gathers what was observed of each record; statements with unreadable amounts only ask for a poll. */
function groupObservations(observations: Observation[]): GroupedObservations {
  const byKind = new Map(recordKinds.map((kind) => [kind, new Map<string, Observation[]>()]));
  const grouped: GroupedObservations = { byKind, unapplied: [], refused: [] };
  for (const given of observations) {
    if (given.id === '' || keyText(given.id) === null) {
      grouped.refused.push(unusableId(given));
      continue;
    }
    const unapplied = unappliedStatement(given);
    if (unapplied !== null) grouped.unapplied.push({ observation: given, break: unapplied });
    const observation = wholeMs(unapplied === null ? given : asMention(given));
    const group = byKind.get(given.kind);
    const known = group?.get(given.id);
    if (known === undefined) group?.set(given.id, [observation]);
    else known.push(observation);
  }
  return grouped;
}

function asMention({ kind, id, from, to, source }: Observation): Observation {
  return { type: 'mention', kind, id, from, to, source };
}

function wholeMs(observation: Observation): Observation {
  if (Number.isInteger(observation.from) && Number.isInteger(observation.to)) return observation;
  return { ...observation, from: Math.floor(observation.from), to: Math.ceil(observation.to) };
}

function unappliedStatement(observation: Observation): NewBreak | null {
  if (observation.type !== 'statement') return null;
  const violations = amountViolations(observation.kind, observation.fields);
  if (violations.length === 0) return null;
  return {
    kind: 'contract_violation',
    severity: UNAPPLIED,
    entity: { kind: observation.kind, id: observation.id },
    evidence: {
      rule: 'amounts are decimal strings',
      violations: violations.map((violation) => ({ ...violation })),
      applied: false,
      source: { ...observation.source },
    },
  };
}

function unusableId({ kind, id, source }: Observation): NewBreak {
  return {
    kind: 'contract_violation',
    severity: UNAPPLIED,
    entity: { kind, id: `sha256:${hashOfText(id)}` },
    evidence: {
      rule: 'an id has 1 to 1,000 bytes',
      given: { start: id.slice(0, 60), length: String(id.length) },
      applied: false,
      source: { ...source },
    },
  };
}
