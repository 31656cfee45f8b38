import { expect, test, vi } from 'vitest';
import { newListPoll } from '../../src/reconcile/lists/list-poll.js';
import { paymentIntentList } from '../../src/reconcile/lists/payment-intents.js';
import { readWindows } from '../../src/reconcile/lists/read-windows.js';
import type { PageReader } from '../../src/reconcile/service-reader.js';
import { MemoryStore } from './memory-store.js';

const NEWEST = Date.parse('2026-03-01T00:00:00Z');

/** Newest first, `size` of them in each second. */
function listOf(count: number, size: number) {
  return Array.from({ length: count }, (_, index) => {
    const createdAt = NEWEST - Math.floor(index / size) * 1_000;
    return { id: `pi_${(index * 7919) % 10_007}`, createdAt };
  });
}

test.each([1, 2, 14, 15, 16, 40, 79, 80, 90, 150])(
  'a record is found or missed from those above it, of which %i share each moment',
  async (size) => {
    const rows = listOf(400, size);
    const store = new MemoryStore(() => NEWEST);
    const listed = rows.map(({ id, createdAt }) => ({ id, createdAt, fields: { id } }));
    await store.save([{ rows: listed, from: 1, to: 2 }], []);
    const gone = rows[300]!;
    const left = rows.filter((row) => row !== gone);
    let clock = NEWEST + 60_000;
    const read: PageReader = async ({ cursor, take }) => {
      const at = cursor === undefined ? -1 : left.findIndex(({ id }) => id === cursor);
      clock += 100;
      const page = cursor !== undefined && at < 0 ? [] : left.slice(at + 1, at + 1 + take);
      const data = page.map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt).toISOString() }));
      return { data, from: clock, to: clock + 50 };
    };
    for (const target of [gone, rows[301]!, rows[320]!, rows[399]!]) {
      const poll = newListPoll({ plan: paymentIntentList, read, store, now: () => clock });
      const { found, missing, undecided } = await readWindows(poll, [{ ...target, listed: true }]);
      expect({ target, undecided }).toEqual({ target, undecided: [] });
      expect(target === gone ? missing.has(target.id) : found.has(target.id)).toBe(true);
    }
  },
);

test('one that is stopped asks for nothing', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  const read = vi.fn<PageReader>();
  const poll = newListPoll({ plan: paymentIntentList, read, store: new MemoryStore(() => 0), now: () => 0, signal });
  await expect(readWindows(poll, [{ id: 'a', createdAt: 1, listed: true }])).rejects.toThrow('enough');
  expect(read).not.toHaveBeenCalled();
});
