import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { PeriodFile } from '../../domain/views/books-shapes.js';
import { rowsOf, run, type Trx } from '../database/statements.js';

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

export async function* readPeriodFile(db: Knex, id: string): AsyncGenerator<Buffer> {
  for (let part = 0; ; part += 1) {
    const row = await db('period_file_parts').where({ file_id: id, part }).first('content');
    if (row === undefined) return;
    yield row.content;
  }
}

const PART_BYTES = 1_048_576;

/** Keeps a file as it is made, in parts, and says what it came to. */
export async function storePeriodFile(
  trx: Trx,
  about: { month: string; closing: number; format: string; name: string },
  content: AsyncIterable<string | Uint8Array>,
): Promise<PeriodFile> {
  const rows = await rowsOf<{ id: string }>(trx)`SELECT nextval(pg_get_serial_sequence('period_files', 'id')) AS id`;
  const id = rows[0]?.id ?? '';
  const hash = createHash('sha256');
  let [bytes, part, size] = [0, 0, 0];
  let waiting: Uint8Array[] = [];
  for await (const chunk of content) {
    const made = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    waiting.push(made);
    size += made.length;
    if (size >= PART_BYTES) await keep();
  }
  if (size > 0) await keep();
  const sha256 = hash.digest('hex');
  await run(trx)`
    INSERT INTO period_files (id, month, closing, format, name, sha256, bytes) OVERRIDING SYSTEM VALUE
    VALUES (${id}, ${about.month}, ${about.closing}, ${about.format}, ${about.name}, ${sha256}, ${bytes})`;
  return { id, closing: about.closing, format: about.format, name: about.name, sha256, bytes };

  async function keep(): Promise<void> {
    const content = Buffer.concat(waiting);
    hash.update(content);
    bytes += content.length;
    await trx('period_file_parts').insert({ file_id: id, part, content });
    part += 1;
    [waiting, size] = [[], 0];
  }
}
