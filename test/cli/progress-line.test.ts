import { expect, test } from 'vitest';
import { createProgressLine } from '../../src/cli/print.js';
import { progressText } from '../../src/cli/reconcile.js';

const at = { seen: 12_300, calls: 130, oldest: Date.parse('2026-01-03T10:00:00Z'), total: null };

test('shows count, calls and the oldest date; a share only where it is known how much there is', () => {
  expect(progressText('payment-intents', at)).toBe('payment-intents: 12300 read, 130 calls, back to 2026-01-03');
  expect(progressText('transactions', { ...at, oldest: null, total: 49_200 })).toBe(
    'transactions: 12300 read, 130 calls, 25% of 49200',
  );
});

test('shows itself on a terminal alone, not too often, and goes away', () => {
  let written = '';
  let now = 0;
  const write = (text: string) => (written += text);
  const silent = createProgressLine({ write }, () => now);
  silent.show(() => 'payouts');
  silent.clear();
  expect(written).toBe('');
  const line = createProgressLine({ isTTY: true, write }, () => now);
  for (now = 0; now < 250; now += 10) line.show(() => `payouts at ${now}`);
  expect(written.split('\r').length - 1).toBe(3);
  line.clear();
  expect(written.endsWith('\r\u001b[K')).toBe(true);
});
