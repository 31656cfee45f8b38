import { randomInt } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { Webhook } from 'standardwebhooks';
import { maskText } from '../domain/personal.js';
import { checkOutboundUrl, guardedLookup, OutboundAddressError, type OutboundRules } from '../outbound-address.js';

export interface OutboundCall {
  url: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

export interface CallOutDeps {
  rules: OutboundRules;
  /** For the whole of it, from the look-up of the name to the end of the answer. Default 10 s. */
  timeoutMs?: number;
}

/** `error` never holds the address's path, where secrets stand. `retryAfterMs`: what the other side asked for. */
export type CallOutAnswer =
  | { ok: true; httpStatus: number }
  | { ok: false; httpStatus: number | null; error: string; retryAfterMs: number | null };

export const CALL_TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 4_096;
const SHOWN_CHARACTERS = 120;
const LONGEST_RETRY_AFTER_SECONDS = 3_600;

/** Success is an answer of 2xx alone; redirects are not followed. Never throws. */
export async function callOut(call: OutboundCall, deps: CallOutDeps): Promise<CallOutAnswer> {
  const timeoutMs = deps.timeoutMs ?? CALL_TIMEOUT_MS;
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const { status, retryAfter, text } = await request(call, deps.rules, limit);
    if (status >= 200 && status < 300) return { ok: true, httpStatus: status };
    const error = `answered ${status}${excerptOf(status, text)}`;
    return { ok: false, httpStatus: status, error, retryAfterMs: retryAfterOf(status, retryAfter) };
  } catch (error) {
    const reason = limit.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
    return { ok: false, httpStatus: null, error: reason, retryAfterMs: null };
  }
}

async function request(call: OutboundCall, rules: OutboundRules, signal: AbortSignal) {
  const url = checkOutboundUrl(call.url, rules);
  const headers = { 'user-agent': 'tallyhook', ...call.headers };
  const options = { method: call.method, headers, lookup: guardedLookup(rules), agent: false, signal } as const;
  return new Promise<{ status: number; retryAfter: string | undefined; text: string }>((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const end = () => {
        const text = Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], text });
      };
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size < ANSWER_BYTES) return;
        end();
        sent.destroy();
      });
      answer.on('end', end);
      answer.on('error', reject);
      answer.on('close', () => reject(new Error('the answer was cut off')));
    });
    sent.on('error', reject);
    sent.end(call.body);
  });
}

function excerptOf(status: number, text: string): string {
  if (status >= 300 && status < 400) return ': redirects are not followed';
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return line === '' ? '' : `: ${maskText(line).slice(0, SHOWN_CHARACTERS)}`;
}

function retryAfterOf(status: number, header: string | undefined): number | null {
  if ((status !== 429 && status !== 503) || header === undefined || !/^\d{1,9}$/.test(header)) return null;
  return Math.min(Number(header), LONGEST_RETRY_AFTER_SECONDS) * 1_000;
}

/** A network error names hosts and addresses; what else is thrown may repeat the whole address, so only its name counts. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundAddressError) return error.message;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return 'failed';
  const code = 'code' in error ? String(error.code) : error.name;
  return `failed: ${code}`;
}

const LONGEST_RETRY_MS = 3_600_000;

/** Twice as long after each failure, up to an hour, and between half and all of that, so that not all come at once. */
export function retryInMs(failures: number, firstMs: number): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), LONGEST_RETRY_MS);
  return Math.round(whole / 2) + randomInt(Math.ceil(whole / 2) + 1);
}

/**
 * The headers of the Standard Webhooks scheme. The id is the message's, the same at every attempt; the time is the
 * attempt's, which receivers compare with their clock. A secret in base64, with `whsec_` before it or not, is decoded, as
 * the scheme says; any other is the key as it is.
 */
export function signedHeaders(
  secret: string,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signer(secret).sign(id, at, body),
  };
}

function signer(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    return new Webhook(secret, { format: 'raw' });
  }
}
