import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { PeriodFile } from './period-files.js';

const PART_BYTES = 1_048_576;

/** Keeps a file as it is made, in parts, and says what it came to. */
export async function storePeriodFile(
  trx: Knex.Transaction,
  about: { month: string; closing: number; format: string; name: string },
  content: AsyncIterable<string>,
): Promise<PeriodFile> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT nextval(pg_get_serial_sequence('period_files', 'id')) AS id`,
  );
  const id = rows[0]?.id ?? '';
  const hash = createHash('sha256');
  let [bytes, part, waiting] = [0, 0, Buffer.alloc(0)];
  for await (const text of content) {
    waiting = Buffer.concat([waiting, Buffer.from(text)]);
    if (waiting.length >= PART_BYTES) await keep();
  }
  if (waiting.length > 0) await keep();
  const sha256 = hash.digest('hex');
  await trx.raw(
    `INSERT INTO period_files (id, month, closing, format, name, sha256, bytes) OVERRIDING SYSTEM VALUE
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [id, about.month, about.closing, about.format, about.name, sha256, bytes],
  );
  return { id, closing: about.closing, format: about.format, name: about.name, sha256, bytes };

  async function keep(): Promise<void> {
    hash.update(waiting);
    bytes += waiting.length;
    await trx('period_file_parts').insert({ file_id: id, part, content: waiting });
    part += 1;
    waiting = Buffer.alloc(0);
  }
}
