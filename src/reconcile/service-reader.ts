import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import type { Observation } from '../domain/observation.js';
import { textField } from '../domain/records.js';
import type { RunTally } from '../records/runs/runs.js';
import type { ReadOperation } from '../service-api/operations.js';
import { NotFoundError, RefusedError } from '../service-api/service-errors.js';

/** What the service answered; `from` and `to` enclose the request, in milliseconds of the service's clock. */
export interface Answer<T> {
  data: T;
  from: number;
  to: number;
}

/** One page of a list of the service, newest first. `cursor` is the id of the row before the page's first. */
export interface PageQuery {
  take: number;
  cursor?: string;
  status?: string;
}

/** `more`: the service names a page below these rows, however few they are. Undefined: it says nothing of that. */
export type PageReader = (query: PageQuery) => Promise<Answer<JsonObject[]> & { more?: boolean }>;

export interface Question {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  signal?: AbortSignal | undefined;
}

type Reply = Answer<Json> & { totalCount?: number | null };

/** The part of ServiceClient that the reconcilers use. It rejects with a ServiceError. */
export interface ServiceReader {
  /** Any operation that reads. Query parameters go by our names of the contract. */
  reply(operation: ReadOperation, question: Question): Promise<Reply>;
  /** The likeliest time of the service's clock, ms. */
  serviceNow(): number;
}

export interface Asking {
  deps: { client: ServiceReader };
  tally: Pick<RunTally, 'calls'>;
  signal?: AbortSignal | undefined;
}

/** One call in a run's name, counted. */
export async function ask({ deps, tally, signal }: Asking, operation: ReadOperation, question: Question = {}) {
  signal?.throwIfAborted();
  tally.calls += 1;
  return deps.client.reply(operation, { ...question, signal });
}

/** Null: the service does not know what is asked for, or refuses to show it. */
export async function askIfShown(asking: Asking, operation: ReadOperation, question: Question): Promise<Reply | null> {
  try {
    return await ask(asking, operation, question);
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof RefusedError) return null;
    throw error;
  }
}

export interface Row {
  id: string;
  fields: JsonObject;
}

/** What an answer that holds a whole list says: what it shows is as it shows it, and of what was `listed` the rest is gone. */
export function wholeList(
  about: Pick<Observation, 'kind' | 'from' | 'to' | 'source'>,
  rows: readonly Row[],
  listed: readonly string[],
): Observation[] {
  const shown = new Set(rows.map(({ id }) => id));
  return [
    ...rows.map(({ id, fields }): Observation => ({ type: 'poll', id, fields: { ...fields, id }, ...about })),
    ...listed.flatMap((id): Observation[] => (shown.has(id) ? [] : [{ type: 'absence', id, ...about }])),
  ];
}

/** What an answer lists: an array, or `items` of an object, where the shape is not shown. Undefined: neither. */
export function listedIn(data: Json): Json[] | undefined {
  const listed = isJsonObject(data) ? data['items'] : data;
  return Array.isArray(listed) ? listed : undefined;
}

/** Items of a list that have an id. `field`: where it stands. */
export function rowsOf(items: readonly Json[], field = 'id'): Row[] {
  return items.flatMap((fields) => {
    const id = isJsonObject(fields) ? textField(fields, field) : null;
    return isJsonObject(fields) && id !== null && id !== '' ? [{ id, fields }] : [];
  });
}
