import type { BookRecord, Draft, Line, Moved } from '../../../src/domain/books/entry.js';
import { netLines } from '../../../src/domain/books/lines.js';
import type { JsonObject } from '../../../src/domain/json.js';

export const AT = Date.parse('2026-01-31T10:00:00Z');
export const ISO = '2026-01-31T10:00:00Z';
export const moved = (operation: Moved['operation'], delta: string | null, about: Partial<Moved> = {}): Moved => ({
  part: 'explained',
  operation,
  account: null,
  assetCode: 'BTC',
  delta,
  base: '0',
  at: null,
  ...about,
});
export const record = (kind: BookRecord['kind'], fields: JsonObject | null, ...all: Moved[]): BookRecord => ({
  kind,
  id: 'r1',
  fields,
  firstSeenAt: AT,
  moved: all,
});
export const line = (account: string, amount: string, assetCode = 'BTC'): Line => ({
  account,
  assetCode,
  amount,
  memo: false,
});
/** `account amount`, without those of nothing. */
export const written = (drafts: readonly Draft[]) =>
  drafts.map(({ lines }) => netLines(lines).map(({ account, amount }) => `${account} ${amount}`));
