import { expect, test, vi } from 'vitest';
import { createProgressLine } from '../../src/cli/print.js';
import { progressText } from '../../src/cli/reconcile.js';
import { showAtWork } from '../../src/cli/show-at-work.js';

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
  createProgressLine({ isTTY: true, columns: 8, write }).show(() => 'transactions');
  expect(written).toMatch(/transac$/);
});

test('says what is at work once it takes longer than two seconds, and until it ends', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    let written = '';
    const terminal = { isTTY: true, write: (text: string) => (written += text) };
    let resolve: (answer: string) => void = () => {};
    const promise = new Promise<string>((done) => {
      resolve = done;
    });
    const shown = showAtWork('probing', promise, terminal);
    vi.advanceTimersByTime(1_900);
    expect(written).toBe('');
    vi.advanceTimersByTime(1_200);
    expect(written).toMatch(/probing: 3 s$/);
    resolve('done');
    expect(await shown).toBe('done');
    const ended = written;
    expect(ended.endsWith('\r\u001b[K')).toBe(true);
    vi.advanceTimersByTime(5_000);
    expect(written).toBe(ended);
  } finally {
    vi.useRealTimers();
  }
});
