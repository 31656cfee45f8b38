import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { ContractViolationError, NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import { type Answer, listedIn, type PageQuery, type PageReader, type ServiceReader } from '../service-reader.js';
import type { ResumablePages } from './list-poll.js';
import type { ListPlan } from './list-row.js';
import { type CursoredPage, OpaquePages } from './opaque-pages.js';

/** The most that the service gives at once (specification section 8). */
const LARGEST_PAGE = 100;

interface Counting {
  tally: { calls: number };
  signal?: AbortSignal | undefined;
}

/**
 * Pages of one of the service's lists, each call counted. A cursor that the service
 * refuses reads as an empty page: its row may be gone, which is no failure. A list whose shape is not shown may be an object
 * with `items`; where that names cursors that are no ids of rows, pages are asked for by those.
 */
export function listPages(client: ServiceReader, operation: ListPlan['operation'], counting: Counting): ResumablePages {
  /** By the status that they were filtered by. Empty: the service goes by the ids of rows. */
  const opaque = new Map<string, OpaquePages>();
  let token: string | null = null;

  const { ask, askBelow, lastFrom } = createAsking(client, operation, counting);
  const readHead = async ({ take, status }: PageQuery): Promise<Shown> => {
    const filtered = { take, ...(status === undefined ? {} : { status }) };
    const head = pageOf(await ask(filtered));
    if (head.next !== undefined && head.next !== textField(head.data.at(-1) ?? {}, 'id')) {
      const fetch = async (cursor: string | null): Promise<CursoredPage | null> => {
        const answer = await askBelow({ ...filtered, ...(cursor === null ? {} : { cursor }) });
        return answer === null ? null : cursored(pageOf(answer));
      };
      opaque.set(status ?? '', new OpaquePages(fetch, cursored(head)));
    }
    return head;
  };

  const resume = async (from: string): Promise<void> => {
    if (!opaque.has('')) await readHead({ take: LARGEST_PAGE });
    await opaque.get('')?.resume(from);
  };
  const read = async (query: PageQuery): ReturnType<PageReader> => {
    const { cursor, status } = query;
    if (status === undefined) token = null;
    if (cursor === undefined) {
      const head = await readHead(query);
      const more = head.next ? await opaque.get(status ?? '')?.leadsOn() : false;
      return more === undefined ? head : { ...head, more };
    }
    const nothing = () => ({ data: [], from: lastFrom(), to: lastFrom() });
    if (opaque.size > 0 && !opaque.has(status ?? '')) await readHead(query);
    const pages = opaque.get(status ?? '');
    if (pages !== undefined) {
      const answer = await pages.below(cursor);
      if (status === undefined) token = answer?.token ?? null;
      return answer ?? nothing();
    }
    const answer = await askBelow(query);
    return answer === null ? nothing() : pageOf(answer);
  };
  return Object.assign(read, { token: () => token, resume });
}

interface Asking {
  ask: (query: PageQuery) => Promise<Answer<Json>>;
  /** Null: the service refuses the cursor. */
  askBelow: (query: PageQuery) => Promise<Answer<Json> | null>;
  /** The start of the last call that was answered. */
  lastFrom: () => number;
}

function createAsking(client: ServiceReader, operation: ListPlan['operation'], { tally, signal }: Counting): Asking {
  // A refusal says nothing of any record, so it does not matter when it was; it only must not seem to be earlier.
  let last = 0;
  const ask = async ({ cursor, take, status }: PageQuery): Promise<Answer<Json>> => {
    tally.calls += 1;
    const query = { take, ...(cursor === undefined ? {} : { cursor }), ...(status === undefined ? {} : { status }) };
    const answer = await client.reply(operation, { query, signal });
    if (listedIn(answer.data) === undefined)
      throw new ContractViolationError('the answer is not an array', { operation });
    last = answer.from;
    return answer;
  };
  const askBelow = async (query: PageQuery): Promise<Answer<Json> | null> => {
    try {
      return await ask(query);
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof RefusedError) return null;
      throw error;
    }
  };
  return { ask, askBelow, lastFrom: () => last };
}

type Shown = Answer<JsonObject[]> & { next: string | null | undefined };

function pageOf({ data, from, to }: Answer<Json>): Shown {
  const rows = (listedIn(data) ?? []).map((item): JsonObject => (isJsonObject(item) ? item : {}));
  return { data: rows, from, to, next: nextOf(data) };
}

/** Undefined: the answer names none. */
function nextOf(data: Json): string | null | undefined {
  if (!isJsonObject(data) || !Object.hasOwn(data, 'nextCursor')) return undefined;
  const next = data['nextCursor'];
  return typeof next === 'string' && next !== '' ? next : null;
}

const cursored = (page: Shown): CursoredPage => ({ ...page, next: page.next ?? null });
