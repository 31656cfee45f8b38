import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { checkFacts } from '../support/checked-facts.js';
import { useDatabase } from '../support/database.js';
import { envExample } from '../support/env-example.js';
import { useFolder } from '../support/folder.js';
import { prometheusRules } from '../support/prometheus-rules.js';
import { breakTables, variableTables, withTable } from '../support/tables-of-documents.js';

/** What a change costs: each is made in one file of a copy, and searched for wherever people and programs should see it. */
const CHANGES = {
  'src/domain/breaks/records.ts': {
    after: 'export const recordBreaks = {',
    add: `made_up_break: {
      severity: 'critical',
      sharedBy: ['/made'],
      means: 'It was made up.',
      ends: 'It is unmade.',
      remedy: 'Do what was made up.',
      besideSafe: { where: 'it was made up', remedy: 'unmake it' },
      check: () => [{ entity: { kind: 'order', id: 'A-1' }, found: { evidence: { made: 'up' } } }],
    },`,
  },
  'src/domain/alerts/upkeep-conditions.ts': {
    after: 'export const upkeepConditions: Named<Condition> = {',
    add: `TallyhookMadeUp: {
      severity: 'warning',
      runbook: 'made-up',
      summary: 'Something was made up',
      remedy: 'Find out who made it up.',
      page: '/runs?kind=',
      rule: { expr: 'max by (kind) (tallyhook_made_up) > 0', for: '5m', by: 'kind' },
      found: ({ missed }) => (missed === 77 ? [{ subject: 'payouts', detail: '77 were made up.' }] : []),
    },`,
  },
  'src/config/variables.ts': {
    after: 'const sending = {',
    add: `MADE_UP_SECONDS: {
      ...seconds,
      meaning: 'How long it is made up.',
      neededBy: ['worker'],
    },`,
  },
};

const ROOT = path.join(import.meta.dirname, '../..');
const copy = useFolder();
const database = useDatabase();
const document = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');

beforeAll(() => {
  for (const name of ['src', 'test/support', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  for (const [file, { after, add }] of Object.entries(CHANGES)) {
    const text = readFileSync(path.join(copy, file), 'utf8');
    expect(text.split(after), `${file}: ${after}`).toHaveLength(2);
    writeFileSync(path.join(copy, file), text.replace(after, `${after}\n${add}`));
  }
});

/** A module of the copy. */
const load = async <T>(file: string): Promise<T> => (await import(/* @vite-ignore */ path.join(copy, file))) as T;

const breaksOfCopy = () => load<typeof import('../../src/domain/breaks/breaks.js')>('src/domain/breaks/breaks.ts');
const alertsOfCopy = () => load<typeof import('../../src/domain/alerts/alerts.js')>('src/domain/alerts/alerts.ts');
const variablesOfCopy = () => load<typeof import('../../src/config/variables.js')>('src/config/variables.ts');

async function consoleOfCopy() {
  const { testConsole } = await load<typeof import('../support/console.js')>('test/support/console.ts');
  const { visit } = await load<typeof import('../support/console-visit.js')>('test/support/console-visit.ts');
  const { operations } = await load<typeof import('../../src/console/api/operations.js')>(
    'src/console/api/operations.ts',
  );
  const { openapiDocument } = await load<typeof import('../../src/console/api/openapi-document.js')>(
    'src/console/api/openapi-document.ts',
  );
  return { reader: await visit(testConsole(database.db).app, 'admin'), openapi: openapiDocument(operations) };
}

it('each compiles: nothing else has to name it', { timeout: 240_000 }, async () => {
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', 'tsconfig.build.json', '--noEmit'], {
    cwd: copy,
    timeout: 200_000,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

describe('a break', () => {
  it('is found, and is in the read API, its description, the pages and the tables of docs/breaks.md', async () => {
    const { openBreaks } =
      await load<typeof import('../../src/records/breaks/breaks.js')>('src/records/breaks/breaks.ts');
    const { breakDefinitions, runChecks } = await breaksOfCopy();
    const made = runChecks(checkFacts([]), []).findings.open;
    expect(made).toEqual([{ kind: 'made_up_break', entity: { kind: 'order', id: 'A-1' }, evidence: { made: 'up' } }]);
    await openBreaks(database.db, made);
    const { reader, openapi } = await consoleOfCopy();
    expect(JSON.stringify(openapi)).toContain('"made_up_break"');
    const list = await reader.get('/breaks?kind=made_up_break&severity=critical');
    expect(list.main).toContain('<option value="made_up_break" selected>');
    const page = await reader.get(list.link('made up break'));
    expect(page.text).toContain('What to do: Do what was made up. It closes by itself once this holds: It is unmade.');
    const tables = breakTables(breakDefinitions).map((table) => withTable(document(table.file), table));
    expect(tables[0]).toContain('| `made_up_break` | it was made up | unmake it |');
    expect(tables[1]).toContain('| `made_up_break` | It was made up. | It is unmade. | Do what was made up. |');
  });

  it('is counted in the metrics, and its alert says what to do', async () => {
    const { countOpenBreaks } = await load<typeof import('../../src/records/gauges.js')>('src/records/gauges.ts');
    expect(await countOpenBreaks(database.db)).toContainEqual({
      kind: 'made_up_break',
      severity: 'critical',
      count: 1,
    });
    const { remedyOf } = await alertsOfCopy();
    expect(remedyOf({ name: 'TallyhookCriticalBreak', subject: 'made_up_break' })).toMatch(/^Do what was made up\. /);
  });
});

describe('an alert', () => {
  it('is found, sent with its words, in the read API, on its page with its link, and a rule of Prometheus', async () => {
    const { alerts, conditions } = await alertsOfCopy();
    const { found } = conditions.find(({ name }) => name === 'TallyhookMadeUp')!;
    expect(found({ missed: 77 } as never)).toEqual([{ subject: 'payouts', detail: '77 were made up.' }]);
    expect(prometheusRules(alerts)).toContain(`      - alert: TallyhookMadeUp
        expr: 'max by (kind) (tallyhook_made_up) > 0'
        for: 5m
        labels:
          severity: warning
        annotations:
          summary: 'Something was made up: {{ $labels.kind }}'
          description: 'Find out who made it up.'
          runbook_url: docs/runbook.md#made-up
`);
    const alert = {
      name: 'TallyhookMadeUp',
      subject: 'payouts',
      severity: 'warning',
      summary: 'Made up',
      detail: '77',
    };
    await database.db('alerts').insert({ ...alert, since: new Date(), seen_at: new Date(), fired_at: new Date() });
    const { reader, openapi } = await consoleOfCopy();
    expect(JSON.stringify(openapi)).toContain('"TallyhookMadeUp"');
    const page = await reader.get('/alerts');
    expect(page.text).toContain('Find out who made it up. Where to check');
    expect(page.link('Where to check')).toBe('/runs?kind=payouts');
  });
});

describe('a configuration variable', () => {
  it('is read, refused by name, listed in .env.example and docs/configuration.md, and needed by its role', async () => {
    const { loadConfig } = await load<typeof import('../../src/config.js')>('src/config.ts');
    expect(loadConfig([], { env: { MADE_UP_SECONDS: '42' } })).toMatchObject({ MADE_UP_SECONDS: 42 });
    expect(() => loadConfig([], { env: { MADE_UP_SECONDS: 'soon' } })).toThrow(
      'MADE_UP_SECONDS\n    given "soon"; accepted is whole seconds, 0 or more',
    );
    const { needsOf } = await load<typeof import('../../src/wiring/roles/roles.js')>('src/wiring/roles/roles.ts');
    expect(() => loadConfig([], { alsoNeeds: needsOf('worker'), env: {} })).toThrow(
      'MADE_UP_SECONDS\n    missing; whole seconds, 0 or more',
    );
    expect(needsOf('console')).not.toContain('MADE_UP_SECONDS');
    const { variableGroups } = await variablesOfCopy();
    expect(envExample(variableGroups)).toContain('# How long it is made up. Required.\nMADE_UP_SECONDS=\n');
    const last = variableTables(variableGroups).at(-1)!;
    expect(withTable(document(last.file), last)).toContain(
      '| MADE_UP_SECONDS | required | How long it is made up. | whole seconds, 0 or more | needed by worker |',
    );
  });
});
