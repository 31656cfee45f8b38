import type { Request } from 'express';
import type { z } from 'zod';
import { invalid, Refusal } from '../base/refusal.js';
import { requestBody } from './request-body.js';

/** The request's body by its schema. What is wrong is named with its field. */
export function parseBody<S extends z.ZodType>(request: Request, schema: S): z.output<S> {
  return parse(requestBody(request).body, schema);
}

export function parse<S extends z.ZodType>(body: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error.issues);
}

/** One field alone, before the rest of the body is checked. */
export function parseField<S extends z.ZodType>(name: string, value: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(`${name}: ${parsed.error.issues[0]?.message ?? 'is not valid'}`);
}

function refusalOf(issues: readonly z.core.$ZodIssue[]): Refusal {
  const [first] = issues;
  // Whatever is wrong with a settlement has a code of its own (specification 4.1).
  const isSettlement = first?.path[0] === 'autoSettlement';
  const field = first?.path.map(String).join('.') ?? '';
  const said = first?.message ?? 'the body is not valid';
  if (isSettlement) return new Refusal(400, 'AUTO_SETTLEMENT_INVALID', `${field}: ${said}`);
  return invalid(field === '' ? said : `${field}: ${said}`);
}
