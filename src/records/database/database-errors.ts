import { maskText } from '../../domain/personal.js';
import { AppError } from '../../errors.js';

/** SQLSTATE classes and codes that speak of the database's condition, not of the statement. */
const PASSING_STATES = /^(08|40|53|57|58)|^(25006|25P03|55P03)$/;
export const PASSING_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** What pg and knex throw without any code when a connection is lost or none is to be had. */
export const PASSING_MESSAGES =
  /connection terminated|connection error and is not queryable|timeout (exceeded when trying to connect|acquiring a connection|expired)|unable to acquire a connection|client was closed/i;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const MAX_LENGTH = 300;

/** Whether the same statement may well succeed a little later: deadlocks, lost connections, a server that restarts. */
export function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing);
  if (!(error instanceof Error)) return false;
  const code = textOf(error, 'code');
  if (PASSING_CODES.has(code)) return true;
  if (SQLSTATE.test(code)) return PASSING_STATES.test(code);
  return PASSING_MESSAGES.test(error.message);
}

/** Whether the database could not read a value it was given (SQLSTATE class 22): out of range, no date. */
export function isDataError(error: unknown): boolean {
  return error instanceof Error && /^22[0-9A-Z]{3}$/.test(textOf(error, 'code'));
}

/**
 * An error in words that may be stored and shown, without e-mail addresses and phone numbers that it repeats. Of a database's error only its names are taken: its message carries
 * the statement with its values.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = textOf(error, 'code');
  if (SQLSTATE.test(code)) {
    const where = ['constraint', 'table', 'column', 'routine'].flatMap((name) => {
      const value = textOf(error, name);
      return value === '' ? [] : [`${name} ${value}`];
    });
    return `database error ${[code, ...where].join(', ')}`;
  }
  const name = error instanceof AppError ? error.code : error.name;
  return maskText(`${name}: ${error.message}`).slice(0, MAX_LENGTH);
}

export function textOf(error: Error, name: string): string {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' ? value : '';
}
