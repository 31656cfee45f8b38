import { AppError } from '../../errors.js';
import type { PageReader } from '../service-reader.js';
import { readRows } from './list-row.js';
import type { ListStore } from './list-store.js';

/** None of the newest records that we hold is in the service's list. */
export class StrangeListError extends AppError {
  readonly code = 'strange_list';
}

const NEWEST = 200;
/** Fewer records than this may well be gone all at once. */
const TOO_FEW = 5;
/** Ranks of the records that serve as cursor, and in the end the head: one of these rows may be gone. */
const PROBES = [1, 20, 100, null];

/**
 * Makes sure, before anything is saved or found missing, that the list is the one that our records came from. Another
 * account's API key would otherwise declare every payment of ours missing. One call where all is well; throws
 * StrangeListError, also where the list is empty although it has shown us records.
 */
export async function assertSameList(read: PageReader, store: ListStore): Promise<void> {
  const known = (await store.newestListed(NEWEST)).map(({ id }) => id);
  if (known.length === 0) return;
  const ours = new Set(known);
  for (const probe of known.length < TOO_FEW ? [null] : PROBES) {
    const cursor = probe === null ? null : known[probe];
    if (cursor === undefined) continue;
    const { data } = await read({ take: 100, ...(cursor === null ? {} : { cursor }) });
    if (readRows(data).rows.some(({ id }) => ours.has(id))) return;
    if (known.length < TOO_FEW && data.length > 0) return;
  }
  throw new StrangeListError(
    'the service lists none of the newest payments that this database holds. Do SERVICE_API_KEY and SERVICE_BASE_URL belong ' +
      'to another account? Set those of this one again, or give the other a database of its own (DATABASE_URL)',
  );
}
