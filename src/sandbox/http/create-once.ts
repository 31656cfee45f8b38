import type { Request } from 'express';
import type { z } from 'zod';
import { Refusal } from '../base/refusal.js';
import { totpCode } from '../base/schemas.js';
import type { Caller } from './authenticate.js';
import { parse, parseField, requestBody } from './parse-body.js';

/** One of the four creations that the specification promises to replay (7). */
export interface OnceOptions<S extends z.ZodObject, T> {
  operation: 'direct' | 'payout' | 'refund' | 'transfer';
  schema: S;
  /** Debits funds: a dashboard session must give a TOTP code (specification 5). */
  debits?: boolean;
  /** The key where the caller gives none. */
  defaultKey?: (body: z.output<S>) => string;
  find: (id: string) => T | null;
  make: (body: z.output<S>) => T;
}

/**
 * Replaying an idempotency key gives back what it made, whatever else the request says. A request that was refused leaves
 * its key unused.
 */
export function createOnce<S extends z.ZodObject, T extends { id: string }>(
  caller: Caller,
  request: Request,
  { operation, schema, debits, defaultKey, find, make }: OnceOptions<S, T>,
): { record: T; replayed: boolean } {
  const { body } = requestBody(request);
  const { keys } = caller.account.merchant;
  if (debits) requireTotp(caller, body.totpCode);
  const given = readKey(request, body.idempotencyKey, schema);
  const replayOf = (key: string | null): T | null => find(keys.get(`${operation}:${key}`) ?? '');
  const replayed = given === null ? null : replayOf(given);
  if (replayed) return { record: replayed, replayed: true };
  const parsed = parse(body, schema);
  const key = given ?? defaultKey?.(parsed) ?? null;
  const earlier = given === null && key !== null ? replayOf(key) : null;
  if (earlier) return { record: earlier, replayed: true };
  const record = make(parsed);
  if (key !== null) keys.set(`${operation}:${key}`, record.id);
  return { record, replayed: false };
}

/** The key of body or header. Both are refused when they differ. */
function readKey(request: Request, inBody: unknown, schema: z.ZodObject): string | null {
  const rule = schema.shape.idempotencyKey as z.ZodType<string | null | undefined>;
  const body = parseField('idempotencyKey', inBody, rule) || null;
  const header = request.get('idempotency-key') || null;
  if (header !== null) parseField('Idempotency-Key', header, rule);
  if (header !== null && body !== null && header !== body)
    throw new Refusal(400, 'IDEMPOTENCY_KEY_MISMATCH', 'the Idempotency-Key header and idempotencyKey differ');
  return body ?? header;
}

const RIGHT_CODE = '123456';

function requireTotp({ kind }: Caller, code: unknown): void {
  if (kind !== 'session') return;
  if (code === undefined || code === null) throw new Refusal(403, 'TOTP_REQUIRED', 'totpCode is required');
  if (parseField('totpCode', code, totpCode) !== RIGHT_CODE)
    throw new Refusal(403, 'TOTP_INVALID', 'totpCode is not valid');
}
