import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { readPeriodFile } from '../books/period-files.js';
import type { TellFinding } from './findings.js';
import type { StoredSeal } from './list-seals.js';

/** The seal is of a file's hash: its bytes are held against that. */
export async function verifyFiles(db: Knex, seal: StoredSeal, tell: TellFinding): Promise<void> {
  const files = await db<{ id: string; name: string; sha256: string }>('period_files')
    .where('id', '>', seal.after)
    .where('id', '<=', seal.until)
    .orderBy('id')
    .select('id', 'name', 'sha256');
  for (const { id, name, sha256 } of files) {
    const hash = createHash('sha256');
    for await (const part of readPeriodFile(db, id)) hash.update(part);
    if (hash.digest('hex') === sha256) continue;
    const told = `the stored file ${name} (row ${id} of period_files) is not what was stored`;
    tell({ what: 'file_changed', seal: seal.number, log: seal.log, from: id, to: id, rows: 1, told });
  }
}
