import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/service-api/attempt.js';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const read = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), NOW);

describe('Retry-After', () => {
  it.each([
    [{ 'Retry-After': '0' }, 0],
    [{ 'Retry-After': ' 120 ' }, 120_000],
    [{ 'Retry-After': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
    [{ 'Retry-After': 'Fri, 02 Jan 2026 03:04:35 GMT', Date: 'Fri, 02 Jan 2026 03:04:30 GMT' }, 5_000],
    [{ 'Retry-After': 'Fri, 02 Jan 2026 03:00:00 GMT' }, 0],
    [{ 'Retry-After': '1.5' }, null],
    [{ 'Retry-After': '-1' }, null],
    [{ 'Retry-After': '99999999999999999999' }, null],
    [{ 'Retry-After': 'Fri, 99 Jan 2026' }, null],
    [{ 'Retry-After': '2026-01-02T03:04:35Z' }, null],
    [{ 'Retry-After': '' }, null],
    [{}, null],
  ])('%j asks for %s ms', (headers, expected) => {
    expect(read(headers)).toBe(expected);
  });
});
