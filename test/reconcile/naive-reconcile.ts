import { readRows } from '../../src/reconcile/lists/list-row.js';
import type { MemoryStore } from './memory-store.js';
import type { MovingList } from './moving-list.js';

/** What every first attempt looks like: page by the last id, stop at the first id that is known, sweep nothing. */
export async function naiveReconcile(list: MovingList, store: MemoryStore): Promise<void> {
  let cursor: string | undefined;
  for (let pages = 0; pages < 1_000; pages++) {
    const { data, from, to } = await list.read({ take: 100, ...(cursor === undefined ? {} : { cursor }) });
    const { rows } = readRows(data);
    const known = rows.some((row) => store.held.has(row.id));
    await store.save([{ rows, from, to }], []);
    cursor = rows.at(-1)?.id;
    if (known || cursor === undefined) return;
  }
}
