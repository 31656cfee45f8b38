import { invalid } from './refusal.js';

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
