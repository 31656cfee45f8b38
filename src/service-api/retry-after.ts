/**
 * How long a Retry-After header (RFC 9110, 10.2.3) asks to wait, in ms: seconds, or an HTTP date, which is compared with
 * `date`, the answer's own Date header, so that no clock of ours matters; without that with `now` (ms). Null where it
 * says nothing that can be read.
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (!value) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = httpDate(value);
  return at === null ? null : Math.max(0, at - (httpDate(headers.get('date')) ?? now));
}

/** An HTTP date in ms since the epoch. */
export function httpDate(value: string | null): number | null {
  if (value === null || !/^[A-Z][a-z]+, /.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : ms;
}
