import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { parseJson } from '../../src/domain/json-table/read-table.js';
import { ownText } from '../../src/domain/plain-text.js';
import { type ListRow, readRows } from '../../src/reconcile/lists/list-row.js';
import { readRows as readTransactions } from '../../src/reconcile/transactions/read-feed.js';
import { type Delivery, readDelivery, slimDelivery } from '../../src/records/deliveries/read-delivery.js';
import { defaultContract } from '../../src/service-api/contract.js';

/** Three that were kept would be found. */
const PAGES = 4;
/** Characters of one. */
const PAGE = 400_000;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** How many pages are still held when of so many only this was kept. */
function heldBy(keep: (page: JsonObject[]) => readonly string[]): number {
  const kept: string[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let page = 0; page < PAGES; page += 1) {
    const items = [0, 1].map((at) => ({
      id: `a-record-of-page-${page}-${at}`,
      createdAt: '2026-03-01T00:00:00Z',
      filler: 'x'.repeat(PAGE / 2),
    }));
    kept.push(...keep(parseJson(JSON.stringify(items), 9) as JsonObject[]));
  }
  collect();
  const held = (process.memoryUsage().heapUsed - before) / PAGE;
  expect(kept).toHaveLength(2 * PAGES);
  return held;
}

test('the ids that a reading keeps do not keep the pages that they were read from', () => {
  expect(heldBy((page) => readRows(page).rows.map(({ id }: ListRow) => id))).toBeLessThan(3);
  expect(
    heldBy((page) => readTransactions(page, defaultContract.transaction, null).rows.map(({ id }) => id)),
  ).toBeLessThan(3);
  expect(heldBy((page) => page.flatMap((fields) => readDelivery(fields, 'none')?.id ?? []))).toBeLessThan(3);
});

test('deliveries that are kept for a poll of many days keep neither their payloads nor their pages', () => {
  const kept: Delivery[] = [];
  const event = parseJson('{"event":"payment_intent.completed","timestamp":1772323200,"data":{"id":"pi_1"}}', 9);
  const held = heldBy((page) =>
    page.map((fields, at) => {
      const payload = { ...(event as JsonObject), ...fields };
      const delivery = readDelivery({ ...fields, endpointUrl: fields['id'] ?? null, payload }, 'none');
      if (delivery === null) throw new Error('no delivery');
      kept.push(slimDelivery(delivery));
      return String(at);
    }),
  );
  expect(held).toBeLessThan(3);
  expect(kept[0]).toMatchObject({ id: 'a-record-of-page-0-0', endpointUrl: 'a-record-of-page-0-0', payload: '' });
  expect(kept[0]?.event?.contentHash).toHaveLength(64);
});

test('a text in memory of its own is the same text', () => {
  for (const text of ['', 'pi_1', 'ä€😀', '\ud800 alone', 'x'.repeat(10_000)]) expect(ownText(text)).toBe(text);
});
