import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useDatabase } from '../support/database.js';
import { dumpSchema } from '../support/dump-schema.js';

const file = new URL('../../migrations/schema.sql', import.meta.url);
const database = useDatabase();

it('migrations/schema.sql shows what the migrations make (UPDATE_SCHEMA=1 writes it anew)', async () => {
  const dump = await dumpSchema(database.db);
  if (process.env['UPDATE_SCHEMA']) await writeFile(file, dump);
  expect(dump).toContain('TABLE inbox\n');
  expect(await readFile(file, 'utf8')).toBe(dump);
});
