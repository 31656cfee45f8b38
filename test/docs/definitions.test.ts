import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { variableGroups } from '../../src/config/variables.js';
import { pages } from '../../src/console/pages/pages.js';
import { breakDefinitions } from '../../src/domain/breaks/breaks.js';
import { operationNames, operationOf } from '../../src/service-api/operations.js';
import { envExample } from '../support/env-example.js';
import { breakTables, endpointTable, variableTables, withTable } from '../support/tables-of-documents.js';
import { ROOT } from './documents.js';

/** The sandbox's routes, as `GET /v1/accounts/{id}`, each with its file. */
const routes = new Map<string, string>(
  readdirSync(path.join(ROOT, 'src/sandbox/http/v1')).flatMap((file) => {
    const text = readFileSync(path.join(ROOT, 'src/sandbox/http/v1', file), 'utf8');
    return [...text.matchAll(/router\.(get|post|patch)\('([^']+)'/g)].map(
      ([, verb = '', route = '']) => [`${verb.toUpperCase()} /v1${route.replaceAll(/:(\w+)/g, '{$1}')}`, file] as const,
    );
  }),
);
const specified = operationNames
  .filter((name) => name !== 'listPayouts')
  .map((name) => ({ name, ...operationOf(name) }));

test.each([
  ...breakTables(breakDefinitions),
  ...variableTables(variableGroups),
  endpointTable(specified, (route) => routes.get(route)),
])('the table “$heading” of $file says what the definitions say (UPDATE_DOCS=1 writes it anew)', (table) => {
  const file = path.join(ROOT, table.file);
  const text = readFileSync(file, 'utf8');
  const wanted = withTable(text, table);
  if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
  else expect(text).toBe(wanted);
});

test('.env.example says what the variables say (UPDATE_DOCS=1 writes it anew)', () => {
  const file = path.join(ROOT, '.env.example');
  const wanted = envExample(variableGroups);
  if (process.env['UPDATE_DOCS']) writeFileSync(file, wanted);
  expect(readFileSync(file, 'utf8')).toBe(wanted);
});

test('docs/console.md names each page of the navigation', () => {
  const text = readFileSync(path.join(ROOT, 'docs/console.md'), 'utf8');
  const named = (title: string) => new RegExp(`\\b${title}\\b`).test(text);
  const titles = pages.flatMap(({ group, title }) => (group === undefined ? [] : [title]));
  expect(titles.length).toBeGreaterThan(20);
  expect(titles.filter((title) => !named(title))).toEqual([]);
});
