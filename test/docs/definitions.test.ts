import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { breakDefinitions } from '../../src/domain/breaks/breaks.js';
import { breakTables, withTable } from '../support/tables-of-documents.js';
import { ROOT } from './documents.js';

test.each(breakTables(breakDefinitions))(
  'the table “$heading” of $file says what the definitions say (UPDATE_DOCS=1 writes it anew)',
  (table) => {
    const file = path.join(ROOT, table.file);
    const text = readFileSync(file, 'utf8');
    const wanted = withTable(text, table);
    if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
    else expect(text).toBe(wanted);
  },
);
