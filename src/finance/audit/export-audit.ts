import type { Knex } from 'knex';
import { sealLine } from '../../domain/audit/seal.js';
import { readSeals, type SealRange, type StoredSeal } from '../../records/audit/list-seals.js';
import { readSealedRows, sealedLogs } from '../../records/audit/sealed-logs.js';
import { type PlannedFile, planFolder, type WrittenFile, writeFolder } from '../exports/write-folder.js';

export interface AuditExport {
  from: string;
  to: string;
  /** The hash of the last seal, by which the others are proven. */
  headHash: string;
  files: WrittenFile[];
}

const LABEL = 'audit';
const [SEALS, ROWS, MANIFEST] = ['seals.ndjson', 'rows.ndjson', 'manifest.json'] as const;

/**
 * Seals and the rows they are of, as lines that can be verified without this program (docs/audit.md). Null: there is no such
 * seal. What is not as it was sealed is written as it stands.
 */
export async function exportAudit(db: Knex, range: SealRange & { dir: string }): Promise<AuditExport | null> {
  const ends = await endsOf(db, range);
  if (ends === null) return null;
  const { from, to } = ends;
  const within = { from: from.number, to: to.number };
  const files = await writeFolder(range.dir, LABEL, [
    { name: SEALS, content: sealLines(db, within) },
    { name: ROWS, content: rowLines(db, within) },
    { name: MANIFEST, content: [`${JSON.stringify(manifestOf(from, to), undefined, 2)}\n`] },
  ]);
  return { from: from.number, to: to.number, headHash: to.hash, files };
}

/** What `exportAudit` would write; writes nothing. Null: there is no such seal. */
export async function planAuditExport(
  db: Knex,
  range: SealRange,
): Promise<(Omit<AuditExport, 'files'> & { files: PlannedFile[] }) | null> {
  const ends = await endsOf(db, range);
  if (ends === null) return null;
  const files = planFolder(
    LABEL,
    [SEALS, ROWS, MANIFEST].map((name) => ({ name })),
  );
  return { from: ends.from.number, to: ends.to.number, headHash: ends.to.hash, files };
}

/** The first and the last seal of a range; null: there is none. */
async function endsOf(db: Knex, range: SealRange): Promise<{ from: StoredSeal; to: StoredSeal } | null> {
  let from: StoredSeal | null = null;
  let to: StoredSeal | null = null;
  for await (const seals of readSeals(db, range)) {
    from ??= seals[0] ?? null;
    to = seals.at(-1) ?? to;
  }
  return from === null || to === null ? null : { from, to };
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

/** The rows of each seal in the order of the seals. */
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
