import { monthAfter } from '../../domain/books/posting-month.js';

/** YYYY-MM-DD. */
export function firstDayAfter(month: string): string {
  return `${monthAfter(month)}-01`;
}

/** YYYY-MM-DD. */
export function lastDayOf(month: string): string {
  return new Date(Date.parse(`${firstDayAfter(month)}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
