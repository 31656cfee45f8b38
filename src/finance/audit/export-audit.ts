import type { Knex } from 'knex';
import { sealLine } from '../../domain/audit/seal.js';
import { readSeals, type SealRange, type StoredSeal } from '../../records/audit/list-seals.js';
import { readSealedRows, sealedLogs } from '../../records/audit/sealed-logs.js';
import { planFolder, writeFolder } from '../exports/write-folder.js';

const LABEL = 'audit';
const [SEALS, ROWS, MANIFEST] = ['seals.ndjson', 'rows.ndjson', 'manifest.json'] as const;

/**
 * Seals and the rows they are of, as lines that can be verified without this program (docs/audit.md). Null: there is no such
 * seal. What is not as it was sealed is written as it stands. `headHash`: of the last seal, by which the others are proven.
 */
export async function exportAudit(db: Knex, { dir, ...range }: SealRange & { dir: string }) {
  return withEnds(db, range, (from, to) => {
    const within = { from: from.number, to: to.number };
    return writeFolder(dir, LABEL, [
      { name: SEALS, content: sealLines(db, within) },
      { name: ROWS, content: rowLines(db, within) },
      { name: MANIFEST, content: [`${JSON.stringify(manifestOf(from, to), undefined, 2)}\n`] },
    ]);
  });
}

/** What `exportAudit` would write; writes nothing. */
export async function planAuditExport(db: Knex, range: SealRange) {
  const files = [SEALS, ROWS, MANIFEST].map((name) => ({ name }));
  return withEnds(db, range, async () => planFolder(LABEL, files));
}

/** Of the first and the last seal of a range; null: there is none. */
async function withEnds<F>(db: Knex, range: SealRange, keep: (from: StoredSeal, to: StoredSeal) => Promise<F>) {
  let from: StoredSeal | null = null;
  let to: StoredSeal | null = null;
  for await (const seals of readSeals(db, range)) {
    from ??= seals[0] ?? null;
    to = seals.at(-1) ?? to;
  }
  if (from === null || to === null) return null;
  return { from: from.number, to: to.number, headHash: to.hash, files: await keep(from, to) };
}

export function manifestOf(from: StoredSeal, to: StoredSeal): object {
  return {
    format: 'tallyhook-seals-1',
    from: from.number,
    to: to.number,
    /** Of the seal before the first. */
    previous: from.previous,
    head: to.hash,
    sealedAt: to.sealedAt,
  };
}

export async function* sealLines(db: Knex, range: SealRange): AsyncGenerator<string> {
  for await (const seals of readSeals(db, range)) yield seals.map((seal) => `${sealLine(seal)}\n`).join('');
}

export async function* rowLines(db: Knex, range: SealRange): AsyncGenerator<string> {
  for await (const seals of readSeals(db, range)) {
    for (const { log: name, after, until } of seals) {
      const log = sealedLogs.find((one) => one.name === name);
      if (log === undefined) continue;
      const sealed = { after: after === '0' ? null : after, until };
      for await (const rows of readSealedRows(db, log, sealed)) yield rows.map(({ line }) => `${line}\n`).join('');
    }
  }
}
