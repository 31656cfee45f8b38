import type { Request } from 'express';
import type { z } from 'zod';
import { invalid, Refusal } from '../base/refusal.js';

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

/** The request's JSON object and its text; an empty body is an empty object. */
export function requestBody(request: Request): { body: JsonObject; text: string } {
  const text: unknown = request.body;
  if (typeof text !== 'string' || text.trim() === '') return { body: {}, text: '{}' };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalid('the body is not valid JSON');
  }
  if (!isObject(body)) throw invalid('the body must be a JSON object');
  return { body, text };
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** null when it is left out or null; an empty text counts as left out. */
export function optionalText(body: JsonObject, field: string): string | null {
  const value = body[field] ?? null;
  if (value !== null && typeof value !== 'string') throw invalid(`${field} must be a string`);
  return value === '' ? null : value;
}
