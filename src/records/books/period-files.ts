import type { Knex } from 'knex';

export interface PeriodFile {
  id: string;
  /** Counts from 1: a month that was reopened has those of each of its closings. */
  closing: number;
  format: string;
  name: string;
  sha256: string;
  bytes: number;
}

/** Of a closed month, those of its newest closing; of an open one none. */
export async function periodFiles(db: Knex, month: string): Promise<PeriodFile[]> {
  const rows = await db('period_files')
    .join('periods', 'periods.month', 'period_files.month')
    .where({ 'periods.month': month, status: 'closed' })
    .whereRaw('closing = closings')
    .orderBy('period_files.id')
    .select('period_files.id', 'closing', 'format', 'name', 'sha256', 'bytes');
  return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
}

/** When a month was closed last; null: it is open. */
export async function closedAt(db: Knex, month: string): Promise<Date | null> {
  const row = await db('periods').where({ month, status: 'closed' }).first('closed_at');
  return row?.closed_at ?? null;
}

/** A stored file, part by part. */
export async function* readPeriodFile(db: Knex, id: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part += 1) {
    const row = await db('period_file_parts').where({ file_id: id, part }).first('content');
    if (row === undefined) return;
    yield row.content;
  }
}
