import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { dayIn } from '../domain/books/posting-month.js';
import { assetsNamed, readRatesFile } from '../domain/books/rates-file.js';
import { recordAction } from '../records/actions/record-action.js';
import { importRates, seenAssets } from '../records/books/entry-rates.js';
import { lockBooks } from '../records/books/posting-progress.js';
import { oneMoment } from './posting-deps.js';

export type ImportResult =
  /** `valued`: entries of open months that have another rate now, or would have. */
  | { outcome: 'done' | 'would'; rates: number; valued: number }
  /** Nothing was taken. Each problem names its line. */
  | { outcome: 'refused'; problems: string[] };

interface Importing {
  db: Knex;
  now: Date;
  timeZone: string;
  /** In which the books are valued. */
  currency: string;
  actor: string;
  dryRun: boolean;
}

/** Takes the rates of a file of finance, all or none, and values by them what is posted in open months. A dry run does, and keeps nothing. */
export async function importRatesFile(text: string, deps: Importing): Promise<ImportResult> {
  const { db, now, timeZone, currency, actor, dryRun } = deps;
  const seen = await seenAssets(db, assetsNamed(text));
  const { rates, problems } = readRatesFile(text, { today: dayIn(timeZone, now.getTime()), currency, seen });
  if (problems.length > 0) return { outcome: 'refused', problems };
  const fileHash = createHash('sha256').update(text).digest('hex');
  const trx = await db.transaction(oneMoment);
  try {
    await lockBooks(trx);
    const { valued } = await importRates(trx, rates, { actor, fileHash });
    const details = { valued, rates: rates.length, fileHash };
    await recordAction(trx, { actor, action: 'import rates', details, outcome: 'done' });
    await (dryRun ? trx.rollback() : trx.commit());
    return { outcome: dryRun ? 'would' : 'done', rates: rates.length, valued };
  } finally {
    if (!trx.isCompleted()) await trx.rollback();
  }
}
