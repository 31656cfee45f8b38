import type { Request } from 'express';
import { isObject, type JsonObject } from '../base/fields.js';
import { invalid } from '../base/refusal.js';

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
