import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalHash } from '../domain/canonical-json.js';
import { isJsonObject, type Json, type JsonObject, objectFromJsonText, toJsonText } from '../domain/json.js';
import { compareAmounts, isAmount } from '../domain/money.js';
import { linksOfCall } from '../domain/own-calls.js';
import { textField } from '../domain/records.js';
import { AppError } from '../errors.js';
import type { Reply, Sending, SentRequest } from './attempt.js';
import { checkAnswer, checkRequest } from './check-request.js';
import {
  type KeyLimits,
  type KeyOutcome,
  type KeyStore,
  type NotedWrite,
  type OpenWrite,
  type Settled,
  type SettledWrite,
  settleOpen,
} from './key-store.js';
import { NotSentError, OutcomeUnknownError, RefusalError } from './service-errors.js';

interface InvoiceWritesDeps {
  store: KeyStore;
  send: (operation: 'createInvoice', sending: Sending) => Promise<Reply<Json>>;
  /** A page of the invoices, newest first. */
  listInvoices: (query: { take: number; cursor?: string }, signal: AbortSignal | undefined) => Promise<Reply<Json>>;
  report: (write: InvoiceWrite, request: SentRequest, reply: Reply<Json>) => Promise<boolean>;
  /** The earliest time that it may be at the service, ms. */
  earliestNow: () => number;
  pauseMs: number;
  deadlineMs: number;
  log: { warn(about: object, message: string): void } | undefined;
}

type InvoiceWrite = NotedWrite<'createInvoice'>;

type Found =
  | { is: 'found'; id: string; reply: Reply<Json> }
  | { is: 'absent' | 'unclear'; candidates: JsonObject[] }
  | { is: 'unread' };

const POLLS = 3;
/** A poll changes nothing, so it may be done late. */
const SEARCHED_FOR_MS = 24 * 3_600_000;

/**
 * Creating invoices, which have no idempotency key (specification 4.2, 7): written down before they are sent, sent one
 * single time, and searched for in the list where no answer says what came of it, at once and after a crash.
 */
export class InvoiceWrites {
  private readonly deps: InvoiceWritesDeps;
  private readonly limits: KeyLimits;

  constructor(deps: InvoiceWritesDeps) {
    this.deps = deps;
    this.limits = { leaseMs: Math.ceil(deps.deadlineMs * 1.1), withinMs: SEARCHED_FOR_MS };
  }

  async call(given: unknown, signal: AbortSignal | undefined): Promise<Reply<Json>> {
    const body = checkRequest('createInvoice', given) ?? '{}';
    const asked = objectFromJsonText(body);
    const sentAt = this.deps.earliestNow();
    const write: InvoiceWrite = {
      operation: 'createInvoice',
      key: randomUUID(),
      hash: canonicalHash(asked),
      request: toJsonText({ body, sentAt }),
      links: linksOfCall('createInvoice', { path: {}, request: asked }),
    };
    signal?.throwIfAborted();
    await this.deps.store.begin(write, this.limits).catch((error: unknown) => {
      throw new NotSentError('createInvoice', error);
    });
    const progress = { outcomeUnknown: false };
    try {
      const reply = await this.deps.send('createInvoice', { body, once: true, progress, signal });
      checkAnswer('createInvoice', asked, reply.data);
      await this.done(write, body, reply);
      return reply;
    } catch (error) {
      if (!progress.outcomeUnknown) await this.end(write, error instanceof RefusalError ? 'refused' : 'unsent');
      if (!progress.outcomeUnknown) throw error;
      return this.searchFor(write, { asked, sentAt, cause: error, signal });
    }
  }

  /** Searches for every invoice with an unknown outcome. Never sends. */
  settle(signal: AbortSignal | undefined): AsyncGenerator<SettledWrite> {
    const about = { operations: ['createInvoice'] as const, limits: this.limits, signal };
    return settleOpen(this.deps.store, about, (write) => this.settleOne(write, signal));
  }

  private async settleOne(write: OpenWrite<'createInvoice'>, signal: AbortSignal | undefined): Promise<Settled> {
    const kept = objectFromJsonText(write.request ?? '{}');
    const body = textField(kept, 'body') ?? '{}';
    const lost = { asked: objectFromJsonText(body), sentAt: Number(kept['sentAt']) };
    const found = await this.poll(write, lost, signal);
    signal?.throwIfAborted();
    if (found.is === 'found') {
      await this.done(write, body, found.reply);
      return { outcome: 'done', objectIds: [found.id] };
    }
    // The service may still be at it.
    if (found.is === 'unread' || write.age < this.limits.leaseMs) {
      await this.end(write, 'unknown');
      return { outcome: 'unknown', objectIds: [] };
    }
    const isAbsent = found.is === 'absent';
    await this.end(write, isAbsent ? 'unsent' : 'lost');
    return { outcome: isAbsent ? 'absent' : 'lost', objectIds: idsOf(found.candidates) };
  }

  /** A few times, since it may be about to appear. */
  private async searchFor(
    write: InvoiceWrite,
    { cause, signal, ...lost }: LostInvoice & { cause: unknown; signal: AbortSignal | undefined },
  ): Promise<Reply<Json>> {
    let found: Found = { is: 'unread' };
    for (let poll = 0; poll < POLLS; poll++) {
      if (poll > 0) await pause(this.deps.pauseMs * 2 ** poll, signal);
      if (signal?.aborted) break;
      found = await this.poll(write, lost, signal).catch((): Found => ({ is: 'unread' }));
      if (found.is === 'found') {
        await this.done(write, toJsonText(lost.asked), found.reply);
        return found.reply;
      }
      if (found.is === 'unclear' && found.candidates.length > 0) break;
    }
    await this.end(write, 'unknown');
    throw outcomeUnknown(found, cause);
  }

  /** Exactly one that it can be, which no other call made: that is it. */
  private async poll(write: InvoiceWrite, lost: LostInvoice, signal: AbortSignal | undefined): Promise<Found> {
    try {
      const seen = await seekInvoice((query) => this.deps.listInvoices(query, signal), lost);
      const rivals = await this.deps.store.rivals(write, idsOf(seen.candidates));
      const candidates = seen.candidates.filter((invoice) => !rivals.made.includes(textField(invoice, 'id') ?? ''));
      const [first, ...others] = candidates;
      if (first === undefined) return { is: seen.isWhole ? 'absent' : 'unclear', candidates };
      const id = textField(first, 'id');
      const isClear = others.length === 0 && seen.isWhole && rivals.open === 0;
      if (!id || !isClear || !isDated(first)) return { is: 'unclear', candidates };
      return { is: 'found', id, reply: { ...seen.reply, data: first } };
    } catch (error) {
      if (signal?.aborted) return { is: 'unread' };
      const { operation, key } = write;
      this.deps.log?.warn({ operation, key, err: error }, 'invoice not looked up');
      if (error instanceof AppError) return { is: 'unread' };
      throw error;
    }
  }

  private async done(write: InvoiceWrite, body: string, reply: Reply<Json>): Promise<void> {
    const isReported = await this.deps.report(write, { path: {}, body }, reply);
    await this.end(write, isReported ? 'done' : 'unknown', idsOf([reply.data as JsonObject])[0]);
  }

  private async end(write: InvoiceWrite, outcome: KeyOutcome, objectId: string | null = null): Promise<void> {
    try {
      await this.deps.store.end(write, outcome, objectId);
    } catch (error) {
      const { operation, key } = write;
      this.deps.log?.warn({ operation, key, outcome, err: error }, 'call outcome not saved');
    }
  }
}

function outcomeUnknown(found: Found, cause: unknown): OutcomeUnknownError {
  const candidates = found.is === 'unclear' ? found.candidates : [];
  const shows = candidates.length === 0 ? 'no invoice' : `${candidates.length} invoices`;
  const says = found.is === 'unread' ? 'its list could not be read' : `its list shows ${shows} it may be`;
  return new OutcomeUnknownError(`it is not known whether the service did it: ${says}`, {
    operation: 'createInvoice',
    cause,
    candidates,
    remedy:
      'look for it in the list of invoices, or in the dashboard, before you create another; the scheduler searches too, and says what it finds',
  });
}

/** An abort ends it early. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
}

function idsOf(invoices: readonly JsonObject[]): string[] {
  return invoices.flatMap((invoice) => textField(invoice, 'id') ?? []);
}

/** Clocks may differ by more than is measured. */
const MARGIN_MS = 5_000;
const TAKE = 100;
const MOST_PAGES = 50;

/** What a lost call asked for; `sentAt`: ms of the service's clock, at the earliest. */
export interface LostInvoice {
  asked: JsonObject;
  sentAt: number;
}

/** `isWhole`: the list was read back to before the call, so that an invoice it made would have been seen. */
interface Seen {
  candidates: JsonObject[];
  isWhole: boolean;
  reply: Reply<Json>;
}

type ReadInvoices = (query: { take: number; cursor?: string }) => Promise<Reply<Json>>;

/** Reads the newest invoices, back to before the call, and picks those that it may have made. */
export async function seekInvoice(read: ReadInvoices, lost: LostInvoice): Promise<Seen> {
  const candidates = new Map<string, JsonObject>();
  let query: Parameters<ReadInvoices>[0] = { take: TAKE };
  for (let page = 1; ; page++) {
    const reply = await read(query);
    const list = (reply.data as Json[]).filter(isJsonObject);
    for (const invoice of matchingInvoices(list, lost)) candidates.set(textField(invoice, 'id') ?? '', invoice);
    const last = list.at(-1);
    const isWhole = last === undefined || createdAt(last) < lost.sentAt - MARGIN_MS;
    const cursor = last === undefined ? null : textField(last, 'id');
    if (isWhole || page === MOST_PAGES || !cursor || cursor === query.cursor)
      return { candidates: [...candidates.values()], isWhole, reply };
    query = { take: TAKE, cursor };
  }
}

/** Its time shows that the invoice is no older than the call. */
export const isDated = (invoice: JsonObject): boolean => !Number.isNaN(createdAt(invoice));

/** For the same customer and amount, no older than the call. What the list does not show of one counts as equal. */
function matchingInvoices(list: readonly JsonObject[], { asked, sentAt }: LostInvoice): JsonObject[] {
  return list.filter(
    (invoice) =>
      sameAmount(invoice['amount'], asked['amount']) &&
      !(createdAt(invoice) < sentAt - MARGIN_MS) &&
      sameReference(invoice['merchantReference'], asked['merchantReference']) &&
      loosely.every((field) => agrees(invoice[field], asked[field])),
  );
}

/** A service may tidy these up, or fill in what was left out. */
const loosely = ['customerEmail', 'customerName', 'currency', 'assetCode', 'description'];

/** NaN where it does not say. */
const createdAt = (invoice: JsonObject): number => Date.parse(textField(invoice, 'createdAt') ?? '');

function agrees(shown: Json | undefined, asked: Json | undefined): boolean {
  if (shown === undefined || shown === null || typeof asked !== 'string') return true;
  return typeof shown === 'string' && shown.trim().toLowerCase() === asked.trim().toLowerCase();
}

/** Echoed unchanged, as every reference is (specification 4.1, 6.2): one that was not given is another's. */
function sameReference(shown: Json | undefined, asked: Json | undefined): boolean {
  return shown === undefined || shown === null || shown === asked;
}

function sameAmount(shown: Json | undefined, asked: Json | undefined): boolean {
  return isAmount(shown) && isAmount(asked) && compareAmounts(shown, asked) === 0;
}
