import { listedPayins, namedIn, payinSummaries } from '../../domain/family/links.js';
import { isFinal } from '../../domain/family/states.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { defaultKytWords, kytVerdict } from '../../domain/orders/kyt.js';
import { compareStatements, isReport, KEPT, shownPollOf } from '../../domain/record-state.js';
import { recordRules, stateOn, textField } from '../../domain/records.js';
import { momentOf } from '../../domain/service-time.js';
import { usableId } from '../database/database-text.js';
import { rowsOf, type Trx } from '../database/statements.js';
import type { Affected } from '../family/affected.js';
import { type FamilyMembers, namedBy } from '../family/lock.js';
import { readRows } from '../record-columns.js';
import { type AskedBy, isOfReports, laneOfListed, type NewRefreshRequest } from '../runs/refresh-requests.js';
import type { SettledRefreshRequest } from '../runs/settle-requests.js';
import { isHistory, type MergedRecord, type SaveContext } from '../stored-record.js';
import type { SavedRecords } from './save-records.js';

/** After a poll that left something to ask: a statement newer than the poll, or a payin on its way. */
const REPORT_AGAIN_MS = 1_000;
const PAYIN_AGAIN_MS = 30_000;
/** A confirmed payin without a KYT result is polled once more when it is this old. */
const KYT_LATEST_MS = 600_000;
/** Where the account shows such results it is waited for, ever more seldom, for as long. */
const KYT_AGAIN_MS = 5_000;
const KYT_WAITED_MS = 30 * 86_400_000;

/** A payin older than this that is read as passed is not read again. */
const RECHECKED_AGE_MS = 7 * 86_400_000;

export interface FollowUpRequests {
  ask: NewRefreshRequest[];
  settled: SettledRefreshRequest[];
}

/**
 * Which records are to be read (again), and which need not be any more. `read`: kind and id of those that were read now.
 * `denied`: payins that the service denies and lists elsewhere, so they must turn up.
 */
export function followUpRequests(
  { merged, touched }: SavedRecords,
  read: ReadonlySet<string>,
  context: SaveContext,
  denied: ReadonlyMap<string, unknown>,
): FollowUpRequests {
  const requests: FollowUpRequests = { ask: [], settled: [] };
  for (const record of merged) {
    const { kind, id, shown, state } = record;
    const wasRead = read.has(`${kind} ${id}`);
    if (shown.needsPoll) {
      const again = wasRead ? { again: true, delayMs: REPORT_AGAIN_MS } : {};
      requests.ask.push({ kind, id, reason: 'claimed', ...askedBy(record, context), ...again });
    } else if (wasRead && shown.absent && kind === 'payin' && denied.has(id)) {
      requests.ask.push({ kind, id, reason: 'listed_elsewhere', again: true, delayMs: PAYIN_AGAIN_MS });
    } else if (wasRead && shown.absent && shownPollOf(state.poll) === null) {
      // Only webhooks spoke of it, and what they say of its state is no reason to ask for ever.
      requests.settled.push({ kind, id, readAt: state.poll?.from ?? 0 });
    } else if (wasRead && state.poll !== null) {
      settle(requests, record, shown.fields, state.poll.from, context);
    }
  }
  for (const poll of touched) settle(requests, poll, poll.type === 'poll' ? poll.fields : {}, poll.from, context);
  return requests;
}

/** A subject that a poll showed is asked for as if a poll did: there are only so many of them. */
function askedBy(record: MergedRecord, context: SaveContext): AskedBy {
  return shownPollOf(record.state.poll) === null ? askedByReports(record, context) : { lane: 'poll' };
}

function settle(
  requests: FollowUpRequests,
  { kind, id }: Pick<Observation, 'kind' | 'id'>,
  fields: JsonObject,
  readAt: number,
  context: SaveContext,
): void {
  const delayMs = kind === 'payin' ? payinDelay(fields, context) : null;
  const recheck = kind === 'payin' && mayTurn(fields, context);
  if (delayMs === null) requests.settled.push({ kind, id, readAt, recheck });
  else requests.ask.push({ kind, id, reason: 'not_final', again: true, delayMs });
}

/** A payin of a payment that has passed, lately: its order may be released, and its screening may still change its mind. */
function mayTurn(fields: JsonObject, { now, kytWords = defaultKytWords }: SaveContext): boolean {
  const kyt = textField(fields, 'kytStatus');
  const hasPassed = kyt === null || kytVerdict(kyt, kytWords) === 'passed';
  const age = now.getTime() - (momentOf(fields['createdAt']) ?? 0);
  const isOfPayment = textField(fields, 'paymentIntentId') !== null;
  return isOfPayment && hasPassed && textField(fields, 'status') === 'confirmed' && age < RECHECKED_AGE_MS;
}

/** In how many ms a payin is to be read again; null once its state and its KYT result are final. */
function payinDelay(fields: JsonObject, context: SaveContext): number | null {
  const { now, kytWords = defaultKytWords, showsKyt = false } = context;
  if (Object.keys(fields).length === 0) return null;
  if (!isFinal('payin', stateOn(recordRules.payin.main, fields))) return PAYIN_AGAIN_MS;
  const kyt = textField(fields, 'kytStatus');
  if (kyt !== null) return ['passed', 'rejected'].includes(kytVerdict(kyt, kytWords)) ? null : PAYIN_AGAIN_MS;
  const age = now.getTime() - (momentOf(fields['createdAt']) ?? 0);
  if (showsKyt) return age < KYT_WAITED_MS ? KYT_AGAIN_MS : null;
  return age < KYT_LATEST_MS ? KYT_LATEST_MS - age : null;
}

/** Payins that payment intents sum up and that were not read, or are not final, or moved on since. */
export async function payinRequests(
  trx: Trx,
  records: MergedRecord[],
  context: SaveContext,
): Promise<NewRefreshRequest[]> {
  const listed = records
    .filter(({ kind, changedFields }) => kind === 'payment_intent' && changedFields.includes('payins'))
    .filter((intent) => !isClosedHistory(intent, context))
    .flatMap((intent) => summariesOf(intent, context));
  const rows = await readRows(
    trx,
    'payin',
    listed.map(({ id }) => id),
  );
  return listed.flatMap(({ id, status, by }): NewRefreshRequest[] => {
    const row = rows.get(id);
    const asked = { kind: 'payin', id, ...by } as const;
    if (row === undefined || row.poll_hash === null) return [{ ...asked, reason: 'payin_of_intent' }];
    const fields = objectFromJsonText(row.shown);
    if (status !== textField(fields, 'status')) return [{ ...asked, reason: 'payin_moved' }];
    const delayMs = payinDelay(fields, context);
    return delayMs === null ? [] : [{ ...asked, reason: 'not_final', delayMs }];
  });
}

/** Each payin that a payment sums up, and who says so: the service's own list, or a webhook alone. */
function summariesOf(intent: MergedRecord, context: SaveContext): { id: string; status: string | null; by: AskedBy }[] {
  const polled = new Set(listedPayins(polledFields(intent)));
  const claimed = askedByReports(intent, context);
  return payinSummaries(intent.shown.fields).map((summary, nth) => {
    const id = textField(summary, 'id') ?? '';
    return { id, status: textField(summary, 'status'), by: polled.has(id) ? { lane: laneOfListed(nth) } : claimed };
  });
}

/**
 * A payment that was over before adoption: its payins decide nothing any more. One that was created before and paid
 * since is none, even if nobody saw it move.
 */
function isClosedHistory(intent: MergedRecord, context: SaveContext): boolean {
  if (!isHistory(intent, context) || !isOver(intent.shown.fields)) return false;
  if (intent.before !== null && intent.before.state.poll !== null && !isOver(intent.before.fields)) return false;
  return payinSummaries(intent.shown.fields).every(
    (summary) => (momentOf(summary['createdAt']) ?? 0) < context.adoptedAt.getTime(),
  );
}

function isOver(fields: JsonObject): boolean {
  const disputed = textField(fields, 'irregularStatus') === 'pending_decision';
  return !disputed && isFinal('payment_intent', textField(fields, 'status'));
}

/** What the service itself shows of the record, or showed before it vanished; nothing where no poll did. */
const polledFields = ({ state }: Pick<MergedRecord, 'state'>): JsonObject => shownPollOf(state.poll)?.fields ?? {};

/**
 * Who asks for what a record's statements name: webhooks, with the secret that signed the newest, or anything that was read with
 * the API key.
 */
function askedByReports({ state }: Pick<MergedRecord, 'state'>, { secrets }: SaveContext): AskedBy {
  const claims = state.claims.filter((statement) => !statement.state.startsWith(KEPT)).toSorted(compareStatements);
  const newest = claims.at(-1);
  if (newest === undefined || claims.some(({ source }) => source.type !== 'webhook')) return { lane: 'poll' };
  return { lane: 'report', secret: secrets?.get(newest.source.ref) ?? '' };
}

/** Records that changed ones name and that are not known, or that stand behind what these say: they are to be read. */
export async function linkedRequests(
  trx: Trx,
  members: FamilyMembers,
  affected: Affected,
  context: SaveContext & { releasing: ReadonlySet<string> },
): Promise<NewRefreshRequest[]> {
  const isNews = (record: MergedRecord): boolean => !isHistory(record, context);
  return [
    ...members.payin.flatMap((payin) => namedRequests(payin, affected)),
    ...[...members.invoice, ...members.payout].filter(isNews).flatMap((record) => namedRequests(record, affected)),
    ...(await requestsOfIntents(trx, members.payment_intent.filter(isNews))),
    ...[...members.invoice, ...members.payout].flatMap((record) => {
      const isHeld = affected.references(record).some((reference) => context.releasing.has(reference));
      return reportedLinks(record, context).map((request) =>
        isHeld && isOfReports(request) ? { ...request, lane: 'hold' as const } : request,
      );
    }),
  ];
}

function namedRequests(record: MergedRecord, { statusOf }: Affected): NewRefreshRequest[] {
  const isPaid = record.kind === 'invoice' && textField(record.shown.fields, 'status') === 'paid';
  return namedBy(record, 'payment_intent').flatMap((id): NewRefreshRequest[] => {
    const status = statusOf(id);
    const asked = { kind: 'payment_intent', id } as const;
    if (status === undefined) return [{ ...asked, reason: `intent_of_${record.kind}` }];
    const lags = isPaid && record.changedFields.includes('status') && status !== 'completed';
    return lags ? [{ ...asked, reason: 'invoice_paid' }] : [];
  });
}

/** The other end of a link that only a report shows, and the delivery history, which can prove what no list shows. */
function reportedLinks(record: MergedRecord, context: SaveContext): (NewRefreshRequest & AskedBy)[] {
  const { kind, id, before, shown, reported } = record;
  if (shown.reported === null || reported === before?.reported) return [];
  const intent = usableId(textField(shown.reported, 'paymentIntentId'));
  const reference = textField(shown.reported, 'merchantReference');
  if (intent === null && reference === null) return [];
  const askedAt = newestReport(record);
  const asked = { reason: 'reported_link', askedAt, ...askedByReports(record, context) };
  return [
    ...(intent === null ? [] : [{ kind: 'payment_intent' as const, id: intent, ...asked, askedAt: 0 }]),
    { kind: 'delivery', id: `${kind} ${id}`, ...asked },
  ];
}

/** So that a poll that is under way does not settle what is asked for now. */
function newestReport({ state }: MergedRecord): number {
  return Math.max(0, ...state.claims.filter(isReport).map(({ to }) => to));
}

/** The invoice of a payment that moved, unless it is known to be paid; a refund that is not known. */
async function requestsOfIntents(trx: Trx, intents: MergedRecord[]): Promise<NewRefreshRequest[]> {
  const invoices = intents
    .filter(({ changedFields }) => ['invoiceId', 'status'].some((name) => changedFields.includes(name)))
    .flatMap((intent) => {
      const isOver = textField(intent.shown.fields, 'status') === 'completed';
      return linkedIds(intent, 'invoice').map((id) => ({ id, isOver }));
    });
  const refunds = intents
    .filter(({ changedFields }) => changedFields.includes('irregularRefundPayoutId'))
    .flatMap((intent) => linkedIds(intent, 'payout'));
  if (invoices.length + refunds.length === 0) return [];
  const statuses = await statusesOf(
    trx,
    invoices.map(({ id }) => id),
    refunds,
  );
  return [
    ...invoices.flatMap(({ id, isOver }): NewRefreshRequest[] => {
      const status = statuses.get(`invoice ${id}`);
      if (status === undefined) return [{ kind: 'invoice', id, reason: 'invoice_of_intent' }];
      return isOver && status !== 'paid' ? [{ kind: 'invoice', id, reason: 'intent_completed' }] : [];
    }),
    ...refunds.flatMap((id): NewRefreshRequest[] =>
      statuses.has(`payout ${id}`) ? [] : [{ kind: 'payout', id, reason: 'refund_of_intent' }],
    ),
  ];
}

function linkedIds({ shown }: MergedRecord, kind: 'invoice' | 'payout'): string[] {
  return namedIn('payment_intent', shown.fields, kind).flatMap((id) => usableId(id) ?? []);
}

async function statusesOf(trx: Trx, invoices: string[], payouts: string[]): Promise<Map<string, string | null>> {
  const rows = await rowsOf<{ kind: string; id: string; status: string | null }>(trx)`
    SELECT 'invoice' AS kind, id, status FROM invoices WHERE id = ANY (${invoices}::text[])
    UNION ALL SELECT 'payout' AS kind, id, status FROM payouts WHERE id = ANY (${payouts}::text[])`;
  return new Map(rows.map(({ kind, id, status }) => [`${kind} ${id}`, status]));
}
