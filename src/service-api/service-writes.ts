import { setTimeout as delay } from 'node:timers/promises';
import type { Json, JsonObject } from '../domain/json.js';

import { objectFromJsonText } from '../domain/json-text.js';
import { AppError } from '../errors.js';
import type { Reply, WriteProgress } from './attempt.js';
import { checkOutline } from './check-outline.js';
import { checkRequest } from './check-request.js';
import { matchingInvoices } from './find-invoice.js';
import type { KeyedCalls, SettledWrite } from './keyed-calls.js';
import { isKeyed, type WriteOperation } from './operations.js';
import type { InvoiceRequest } from './request-schemas.js';
import { OutcomeUnknownError } from './service-errors.js';

export interface WriteParts {
  path?: Readonly<Record<string, string>>;
  body?: unknown;
  /** For the Idempotency-Key header; the body may have it instead. */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A call that changed something, and what the service said of it. */
export interface Answered {
  operation: WriteOperation;
  path: Readonly<Record<string, string>>;
  /** The body that was sent; null where there was none. */
  request: JsonObject | null;
  reply: Reply<Json>;
}

/** A call that writes, ready to be sent. */
export interface Sending {
  path?: Readonly<Record<string, string>>;
  body?: string | undefined;
  idempotencyKey?: string | undefined;
  once?: boolean;
  progress: WriteProgress;
  signal?: AbortSignal | undefined;
}

interface ServiceWritesDeps {
  keyed: KeyedCalls;
  send: (operation: WriteOperation, sending: Sending) => Promise<Reply<Json>>;
  /** The newest invoices. */
  listInvoices: (signal: AbortSignal | undefined) => Promise<Reply<Json>>;
  /** The earliest time that it may be at the service, ms. */
  earliestNow: () => number;
  pauseMs: number;
  onAnswer: ((answered: Answered) => Promise<void>) | undefined;
  log: { warn(about: object, message: string): void } | undefined;
}

const LOOKS = 3;

/**
 * Calls that change something, and what is done where no answer tells what came of one (docs/contract.md, "Writing"):
 * under a key it is asked again with that key; an invoice is looked for in the list and never sent again; updates,
 * closing and archiving end in the same state however often they are sent, so they are simply repeated.
 */
export class ServiceWrites {
  private readonly deps: ServiceWritesDeps;

  constructor(deps: ServiceWritesDeps) {
    this.deps = deps;
  }

  async call(operation: WriteOperation, parts: WriteParts): Promise<Reply<Json>> {
    if (isKeyed(operation)) {
      const { reply, request } = await this.deps.keyed.call(operation, { body: {}, ...parts }, parts.signal);
      return this.answered(operation, request, reply);
    }
    const { path = {}, signal } = parts;
    const body = checkRequest(operation, parts.body);
    const sending = { path, body, signal, progress: { doubt: false } };
    const reply =
      operation === 'createInvoice'
        ? await this.createInvoice(sending, parts.body as InvoiceRequest)
        : await this.repeatable(operation, sending);
    return this.answered(operation, { path, body }, reply);
  }

  async settle(signal: AbortSignal | undefined): Promise<SettledWrite[]> {
    const settled = await this.deps.keyed.settle(signal);
    for (const write of settled) {
      if (write.outcome === 'done') await this.tell(write.operation, write.sent.request, write.sent.reply);
    }
    return settled;
  }

  private async createInvoice(sending: Sending, asked: InvoiceRequest): Promise<Reply<Json>> {
    const sentAt = this.deps.earliestNow();
    try {
      return await this.deps.send('createInvoice', { ...sending, once: true });
    } catch (error) {
      if (!sending.progress.doubt || sending.signal?.aborted) throw error;
      return this.findInvoice(asked, { sentAt, cause: error, signal: sending.signal });
    }
  }

  /** Exactly one in the list that it can be: that is it. Looks a few times, since it may be about to appear. */
  private async findInvoice(
    asked: InvoiceRequest,
    { sentAt, cause, signal }: { sentAt: number; cause: unknown; signal: AbortSignal | undefined },
  ): Promise<Reply<Json>> {
    let candidates: JsonObject[] = [];
    for (let look = 0; look < LOOKS && candidates.length === 0; look++) {
      if (look > 0) await delay(this.deps.pauseMs * 2 ** look, undefined, { ref: false, ...(signal && { signal }) });
      const reply = await this.deps.listInvoices(signal).catch((error: unknown) => {
        if (error instanceof AppError) return null;
        throw error;
      });
      if (reply === null) continue;
      candidates = matchingInvoices(reply.data as Json[], asked, sentAt);
      const [only] = candidates;
      if (only !== undefined && candidates.length === 1) return { ...reply, data: only };
    }
    const found = candidates.length === 0 ? 'no invoice' : `${candidates.length} invoices`;
    throw new OutcomeUnknownError(`it is not known whether the service did it: its list shows ${found} it may be`, {
      operation: 'createInvoice',
      cause,
      candidates,
      remedy: 'look for it in the list of invoices, or in the dashboard, before you create another',
    });
  }

  private async repeatable(operation: WriteOperation, sending: Sending): Promise<Reply<Json>> {
    try {
      return await this.deps.send(operation, sending);
    } catch (error) {
      if (!sending.progress.doubt || sending.signal?.aborted) throw error;
      throw new OutcomeUnknownError('it is not known whether the service did it', {
        operation,
        cause: error,
        remedy: 'read the record, or send the same once more: it ends in the same state',
      });
    }
  }

  private async answered(operation: WriteOperation, request: SentRequest, reply: Reply<Json>): Promise<Reply<Json>> {
    await this.tell(operation, request, reply);
    checkOutline(operation, reply.data);
    return reply;
  }

  private async tell(operation: WriteOperation, { path, body }: SentRequest, reply: Reply<Json>): Promise<void> {
    try {
      const request = body === undefined ? null : objectFromJsonText(body);
      await this.deps.onAnswer?.({ operation, path, request, reply });
    } catch (error) {
      this.deps.log?.warn({ operation, err: error }, 'what the service answered could not be taken in');
    }
  }
}

interface SentRequest {
  path: Readonly<Record<string, string>>;
  body?: string | undefined;
}
