import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { isAmount, isSignedAmount } from '../domain/money.js';
import { ContractViolationError } from './service-errors.js';

export const text = z.string().nullish();
export const flag = z.boolean().nullish();
export const amount = z.custom<string>(isAmount, 'an amount is a decimal string').nullish();
export const anything = z.custom<Json>(() => true).optional();
export const object = z.custom<JsonObject>((value) => isJsonObject(value as Json), 'an object').nullish();
export const integer = z
  .instanceof(LosslessNumber, { error: 'a number' })
  .transform((given) => Number(given.value))
  .pipe(z.int())
  .nullish();
export const list = z.array(z.custom<Json>(() => true)).nullish();
export const signedAmount = z.custom<string>(isSignedAmount, 'an amount is a decimal string').nullish();
export const id = z.string().min(1);

/**
 * The data as its schema says, or a ContractViolationError that names the place and the rule, never the value. `at`: where
 * in the answer the data stands.
 */
export function readAs<S extends z.ZodType>(schema: S, data: Json, operation: string, at = ''): z.output<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw violation('the answer breaks the contract', parsed.error, { operation, at });
}

/** The same of the answer to a call that changed something: the error says that it did. */
export function readWritten<S extends z.ZodType>(schema: S, data: Json, operation: string): z.output<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw violation('done, but the answer breaks the contract', parsed.error, { operation, at: '' });
}

/** @throws {ContractViolationError} unless the answer is about what was asked for: a cache or proxy mixes answers up. */
export function askedFor<R>(operation: string, reply: R, isIt: boolean): R {
  if (isIt) return reply;
  const problem = 'the answer is about another record than was asked for';
  throw new ContractViolationError(problem, { operation, status: 200 });
}

function violation(
  problem: string,
  cause: z.ZodError,
  { operation, at }: { operation: string; at: string },
): ContractViolationError {
  const [issue] = cause.issues;
  const steps = issue?.path.map((step) => `/${String(step)}`).join('') ?? '';
  const place = at + steps || 'the whole';
  const text = `${problem} at ${place}: ${issue?.message ?? ''}`;
  return new ContractViolationError(text, { operation, status: 200, cause });
}
