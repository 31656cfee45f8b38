import { iso } from '../base/iso-time.js';
import { formatAmount } from '../base/money.js';
import type { Entry } from './ledger.js';

export function entryRecord({ number, at, type, assetCode, recordId, lines }: Entry) {
  const shown = lines.map(({ account, amount }) => ({ account, amount: formatAmount(amount) }));
  return { number, type, assetCode, recordId, createdAt: iso(at), lines: shown };
}
