import type { Knex } from 'knex';
import { packRowHashes, type RowHash, rowHash, rowsHashOf, type Seal, sealHash } from '../../domain/audit/seal.js';
import { raw, rowOf, run, type Trx } from '../database/statements.js';
import { asColumns } from '../database/view-of.js';
import { readSealedRows, type SealedLog, sealedLogs } from './sealed-logs.js';

/** Rows in one seal, at most. */
const MOST_ROWS = 1_000;
/** Of the row of the newest seal: another one who seals is done sooner. */
const LOCK_TIMEOUT = '30s';

export interface Sealed {
  seals: number;
  rows: number;
  /** The newest seal; null: nothing was sealed now. */
  head: { number: string; hash: string } | null;
}

/**
 * Seals what every log has got since, each seal in a transaction of its own: it may be cut off anywhere, and any number may
 * do it, one after the other.
 */
export async function sealRows(
  { db, now }: { db: Knex; now: () => Date },
  { signal }: { signal?: AbortSignal } = {},
): Promise<Sealed> {
  const sealed: Sealed = { seals: 0, rows: 0, head: null };
  for (const log of sealedLogs) {
    for (;;) {
      if (signal?.aborted) return sealed;
      const seal = await db.transaction((trx) => sealNext(trx, log, now()));
      if (seal === null) break;
      sealed.seals += 1;
      sealed.rows += seal.rows;
      sealed.head = { number: seal.number, hash: seal.hash };
      if (seal.rows < MOST_ROWS) break;
    }
  }
  return sealed;
}

async function sealNext(trx: Trx, log: SealedLog, at: Date): Promise<(Seal & { hash: string }) | null> {
  await run(trx)`SET LOCAL lock_timeout = '${raw(LOCK_TIMEOUT)}'`;
  const head = await trx<{ number: string; hash: string }>('seal_head').forUpdate().first();
  if (head === undefined) throw new Error('the row of the newest seal is gone');
  const last = await trx('seals').where({ log: log.name }).orderBy('number', 'desc').first('until');
  const after = String(last?.until ?? '0');
  const { until } = await rowOf<{ until: string }>(trx)`SELECT ${raw(log.settled)} AS until`;
  const hashes = await hashesOf(trx, log, { after, until });
  const newest = hashes.at(-1);
  if (newest === undefined) return null;
  const seal: Seal = {
    number: String(BigInt(head.number) + 1n),
    log: log.name,
    after,
    until: newest.place,
    rows: hashes.length,
    rowsHash: rowsHashOf(hashes),
    previous: head.hash,
    sealedAt: at.toISOString(),
  };
  const hash = sealHash(seal);
  await trx('seals').insert(asColumns({ ...seal, hash, rowHashes: packRowHashes(hashes) }));
  await trx('seal_head').update({ number: seal.number, hash });
  return { ...seal, hash };
}

async function hashesOf(trx: Trx, log: SealedLog, range: { after: string; until: string }): Promise<RowHash[]> {
  const hashes: RowHash[] = [];
  for await (const rows of readSealedRows(trx, log, { ...range, most: MOST_ROWS })) hashes.push(...rows.map(rowHash));
  return hashes;
}
