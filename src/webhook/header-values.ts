import type { IncomingMessage } from 'node:http';

/**
 * All values of each header, names in lowercase. Like `req.headersDistinct`, which in many of the releases of Node that
 * we run on throws when a sender names a header `__proto__` (CVE-2026-21710).
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null);
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    const value = rawHeaders[i + 1] ?? '';
    const known = values[name];
    if (known) known.push(value);
    else values[name] = [value];
  }
  return values;
}
