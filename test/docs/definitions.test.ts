import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { variableGroups } from '../../src/config/variables.js';
import { breakDefinitions } from '../../src/domain/breaks/breaks.js';
import { envExample } from '../support/env-example.js';
import { breakTables, variableTables, withTable } from '../support/tables-of-documents.js';
import { ROOT } from './documents.js';

test.each([...breakTables(breakDefinitions), ...variableTables(variableGroups)])(
  'the table “$heading” of $file says what the definitions say (UPDATE_DOCS=1 writes it anew)',
  (table) => {
    const file = path.join(ROOT, table.file);
    const text = readFileSync(file, 'utf8');
    const wanted = withTable(text, table);
    if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
    else expect(text).toBe(wanted);
  },
);

test('.env.example says what the variables say (UPDATE_DOCS=1 writes it anew)', () => {
  const file = path.join(ROOT, '.env.example');
  const wanted = envExample(variableGroups);
  if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
});
