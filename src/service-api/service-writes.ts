import { type Json, type JsonObject, objectFromJsonText } from '../domain/json.js';
import type { Reply, Sending, SentRequest } from './attempt.js';
import { checkOutline, checkRequest } from './check-request.js';
import { InvoiceWrites } from './invoice-writes.js';
import type { SettledWrite } from './key-store.js';
import { KeyedCalls } from './keyed-calls.js';
import { isKeyed, type WriteOperation } from './operations.js';
import { NotSentError, OutcomeUnknownError, ServiceError } from './service-errors.js';

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
  /** Of a creating call: the key under which it was written down. Null: it was not. */
  key: string | null;
  path: Readonly<Record<string, string>>;
  /** The body that was sent, but for a TOTP code; null where there was none. */
  request: JsonObject | null;
  reply: Reply<Json>;
}

interface ServiceWritesDeps extends Omit<ConstructorParameters<typeof InvoiceWrites>[0], 'send' | 'report'> {
  send: (operation: WriteOperation, sending: Sending) => Promise<Reply<Json>>;
  onAnswer: ((answered: Answered) => Promise<void>) | undefined;
}

/**
 * Calls that change something, and what is done where no answer says what came of one (docs/contract.md, "Writing"):
 * under a key it is asked again with that key; an invoice is searched for in the list and never sent again; updates,
 * closing and archiving end in the same state however often they are sent, so they are simply repeated.
 */
export class ServiceWrites {
  private readonly deps: ServiceWritesDeps;
  private readonly keyed: KeyedCalls;
  private readonly invoices: InvoiceWrites;

  constructor(deps: ServiceWritesDeps) {
    this.deps = deps;
    const report = this.report.bind(this);
    this.keyed = new KeyedCalls({
      ...deps,
      report,
      send: (operation, { header, ...request }, about) =>
        deps.send(operation, { ...request, ...about, idempotencyKey: header }),
    });
    this.invoices = new InvoiceWrites({ ...deps, report });
  }

  async call(operation: WriteOperation, parts: WriteParts): Promise<Reply<Json>> {
    try {
      return await this.change(operation, parts);
    } catch (error) {
      // Of a call that was sent before it was aborted, the outcome is unknown, and the error says so.
      if (parts.signal?.aborted && !(error instanceof ServiceError)) throw new NotSentError(operation, error);
      throw error;
    }
  }

  private async change(operation: WriteOperation, parts: WriteParts): Promise<Reply<Json>> {
    const { path = {}, signal } = parts;
    if (isKeyed(operation)) return this.keyed.call(operation, { body: {}, ...parts }, signal);
    if (operation === 'createInvoice') return this.invoices.call(parts.body, signal);
    const body = checkRequest(operation, parts.body);
    const reply = await this.repeatable(operation, { path, body, signal, progress: { outcomeUnknown: false } });
    await this.report({ operation, key: null }, { path, body }, reply);
    checkOutline(operation, reply.data);
    return reply;
  }

  /** One round. Where it breaks off, what was settled until then is reported; the next round takes up the rest. */
  async settle(signal: AbortSignal | undefined): Promise<SettledWrite[]> {
    const settled: SettledWrite[] = [];
    try {
      for await (const write of this.keyed.settle(signal)) settled.push(write);
      for await (const write of this.invoices.settle(signal)) settled.push(write);
    } catch (error) {
      if (settled.length === 0) throw error;
      this.deps.log?.warn({ err: error }, 'settling calls failed');
    }
    return settled;
  }

  private async repeatable(operation: WriteOperation, sending: Sending): Promise<Reply<Json>> {
    try {
      return await this.deps.send(operation, sending);
    } catch (error) {
      if (!sending.progress.outcomeUnknown) throw error;
      throw new OutcomeUnknownError('it is not known whether the service did it', {
        operation,
        cause: error,
        remedy: 'read the record, or send the same once more: it ends in the same state',
      });
    }
  }

  private async report(
    { operation, key }: Pick<Answered, 'operation' | 'key'>,
    { path, body }: SentRequest,
    reply: Reply<Json>,
  ): Promise<boolean> {
    try {
      await this.deps.onAnswer?.({ operation, key, path, request: body === undefined ? null : asSent(body), reply });
      return true;
    } catch (error) {
      this.deps.log?.warn({ operation, err: error }, 'answer not saved');
      return false;
    }
  }
}

/** Whoever keeps what was asked for must not keep a code. */
function asSent(body: string): JsonObject {
  const { totpCode: _, ...request } = objectFromJsonText(body);
  return request;
}
