import {
  boundedTimestamp,
  type DeliveredEvent,
  deliveredEvent,
  deliveredReport,
  type SearchedKind,
} from '../domain/deliveries/delivery-payload.js';
import { withLinks } from '../domain/events/event-key.js';
import { isJsonObject, type Json, type JsonObject, objectFromJsonText } from '../domain/json.js';
import type { Observation } from '../domain/observation.js';
import { textField } from '../domain/records.js';
import { momentOf } from '../domain/service-time.js';
import { noteSearched, paymentOfInvoice } from '../records/orders/searched.js';
import { saveObservations } from '../records/saving/save-observations.js';
import { NotFoundError, RefusedError } from '../service-api/service-errors.js';
import type { RunContext } from './deps.js';
import { ask, listedIn } from './service-reader.js';
import { saveContext, writeFenced } from './write-fenced.js';

/** A record has few events; where more come the filter is not honoured, and further pages would be of others. */
const PAGE = 100;
/** The history is written a little after its event: what a search lacks of so young a report proves nothing. */
const WRITTEN_LATE_MS = 3_000;

export interface Searched {
  asked: number;
  /** Of so many the delivery history spoke. */
  shown: number;
}

export interface SearchedRecord {
  kind: SearchedKind;
  id: string;
}

export type SearchDeps = Pick<RunContext, 'deps' | 'tally'> & {
  fence: RunContext['fence'] | null;
  signal?: AbortSignal | undefined;
};

/** What the history says of one record. `at`: when the poll began, ms of the service's clock; null: it is not whole. */
interface Search {
  reports: Observation[];
  at: number | null;
}

/** By 4.22. A payload is authentic as of its time: it proves a link, and never that a state still stands. */
export async function searchDeliveries(deps: SearchDeps, records: readonly SearchedRecord[]): Promise<Searched> {
  const searched: Searched = { asked: 0, shown: 0 };
  for (const record of records) {
    deps.signal?.throwIfAborted();
    const search = await searchFor(deps, record);
    if (search === null) continue;
    searched.asked += 1;
    if (search.reports.length > 0) searched.shown += 1;
    await save(deps, record, search);
  }
  return searched;
}

/** Null: nothing says by what to ask. */
async function searchFor(searching: SearchDeps, record: SearchedRecord): Promise<Search | null> {
  const { deps } = searching;
  const query = await filterOf(deps, record);
  if (query === null) return null;
  try {
    const { data, from, to } = await ask(searching, 'listWebhookDeliveries', { query: { ...query, take: PAGE } });
    const items = (listedIn(data) ?? []).filter((item) => isJsonObject(item));
    const reports = items.flatMap((delivery) => reportIn(delivery, { ...record, until: to }, deps));
    // What can't be read may be just what is searched for.
    const isWhole = items.length < PAGE && isLast(data) && items.every((one) => eventIn(one, deps) !== null);
    return { reports, at: isWhole ? from : null };
  } catch (error) {
    // What is wrong with one record alone holds up none of the others.
    if (error instanceof NotFoundError || error instanceof RefusedError) return { reports: [], at: null };
    throw error;
  }
}

/** There is no filter by invoice: its deliveries are those that speak of its payment. */
async function filterOf(
  { db }: SearchDeps['deps'],
  { kind, id }: SearchedRecord,
): Promise<Record<string, string> | null> {
  if (kind === 'payout') return { payoutId: id };
  const paymentIntentId = await paymentOfInvoice(db, id);
  return paymentIntentId === null ? null : { paymentIntentId };
}

function eventIn({ payload }: JsonObject, { settings }: SearchDeps['deps']): DeliveredEvent | null {
  return deliveredEvent(payload, settings.eventIdPointer);
}

function reportIn(
  delivery: JsonObject,
  { kind, id, until }: SearchedRecord & { until: number },
  deps: SearchDeps['deps'],
): Observation[] {
  const event = eventIn(delivery, deps);
  const data = event === null ? null : (objectFromJsonText(event.text)['data'] ?? null);
  const fields = event === null || !isJsonObject(data) ? null : deliveredReport(kind, event.event, data, id);
  if (event === null || fields === null) return [];
  const seconds = boundedTimestamp(event.timestamp, Math.min(latestOf(delivery) ?? until, until));
  const from = Math.floor(seconds * 1_000);
  const source = { type: 'delivery_history', ref: textField(delivery, 'id') ?? id } as const;
  const about = { kind, id, from, to: from + 999, source } as const;
  if (Object.keys(fields).length <= 1) return [{ type: 'mention', ...about }];
  return [{ type: 'statement', ...about, fields: withLinks(kind, fields, deps.contract.links) }];
}

function latestOf(delivery: JsonObject): number | null {
  const times = ['createdAt', 'lastAttemptAt'].map((name) => momentOf(textField(delivery, name) ?? undefined));
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** A service that does not honour the filter, nor the size of a page, has more behind it. */
const isLast = (data: Json): boolean => !isJsonObject(data) || (textField(data, 'nextCursor') ?? '') === '';

async function save(
  { deps, tally, fence }: SearchDeps,
  record: SearchedRecord,
  { reports, at }: Search,
): Promise<void> {
  const isNoted = record.kind === 'payout' && at !== null;
  if (reports.length === 0 && !isNoted) return;
  tally.seen += reports.length === 0 ? 0 : 1;
  await writeFenced({ ...deps, tally, fence }, async (trx) => {
    const context = saveContext(deps);
    const saved = await saveObservations(trx, reports, context);
    if (isNoted) await noteSearched(trx, record.id, at - WRITTEN_LATE_MS, context);
    return saved;
  });
}
