import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { MovementLine } from '../../src/domain/balances/movement-table.js';
import { OPERATIONS } from '../../src/sandbox/openapi/operations.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { keyedOperations, operationNames, operationOf } from '../../src/service-api/operations.js';

/** How often each section of the specification says "not shown". */
const notShown: Record<string, number> = {
  '2.1': 2,
  '2.2': 1,
  '2.4': 2,
  '2.5': 2,
  '2.13': 1,
  '2.14': 1,
  '3.1': 1,
  '3.2': 1,
  '3.3': 1,
  '3.4': 1,
  '3.5': 1,
  '3.6': 2,
  '3.7': 1,
  '4': 2,
  '4.1': 1,
  '4.2': 1,
  '4.3': 1,
  '4.6': 1,
  '4.7': 1,
  '4.8': 1,
  '4.9': 1,
  '4.10': 1,
  '4.11': 1,
  '4.12': 1,
  '4.14': 1,
  '4.17': 1,
  '4.22': 1,
  '4.23': 1,
  '5': 2,
  '6.2': 2,
  '6.4': 1,
  '6.5': 1,
  '7': 8,
  '8': 2,
  '9': 1,
};

const rows = (await readFile(new URL('../../docs/contract.md', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** Each name of the contract with its value as the document writes it. */
function leaves(value: object, at = ''): [string, string][] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): [string, string][] => {
    const here = `${at}${key}`;
    if (here.startsWith('movements.operations.')) return [[here, effectsOf(inner as MovementLine[])]];
    if (Array.isArray(inner)) return [[here, inner.join(', ')]];
    return typeof inner === 'object' && inner !== null ? leaves(inner, `${here}.`) : [[here, String(inner)]];
  });
}

function effectsOf(lines: readonly MovementLine[]): string {
  return lines.map(({ balance, effect }) => `${balance} ${effect === null ? '?' : effect.join(' ') || '0'}`).join('; ');
}

describe('docs/contract.md', () => {
  it('has a row for every name that can be configured, with its default, and no other', () => {
    const documented = rows.flatMap(([, key = '', value = '']) => {
      const name = /^`(.+)`$/.exec(key)?.[1];
      const isName =
        name !== undefined && Object.hasOwn(defaultContract, name.split('.')[0] ?? '') && name.includes('.');
      return isName ? [[name, value.replaceAll('`', '')]] : [];
    });
    const order = ([a = '']: string[], [b = '']: string[]) => (a < b ? -1 : 1);
    expect(documented.toSorted(order)).toEqual(leaves(defaultContract).toSorted(order));
  });

  it('names the list that shows each operation, as the contract does', () => {
    for (const [operation, lines] of Object.entries(defaultContract.movements.operations)) {
      const row = rows.find(([, key]) => key === `\`movements.operations.${operation}\``);
      for (const { shownBy } of lines) expect(row?.[5], operation).toMatch(new RegExp(`^${shownBy}`));
    }
  });

  it('has a row for every place of the specification that says "not shown"', () => {
    const numbered = rows.filter(([, number = '']) => /^\d+$/.test(number));
    expect(numbered.map(([, number]) => Number(number))).toEqual(numbered.map((_, index) => index + 1));
    const counts: Record<string, number> = {};
    for (const [, , section = ''] of numbered) counts[section] = (counts[section] ?? 0) + 1;
    expect(counts).toEqual(notShown);
  });

  it('has 22 endpoints, each with a test of client and sandbox', async () => {
    const endpoints = rows.filter(([, , call = '']) => /^`(GET|POST|PATCH) \/v1/.test(call));
    expect(endpoints.map(([, section]) => section)).toEqual(Array.from({ length: 22 }, (_, n) => `4.${n + 1}`));
    const tests = await readFile(new URL('./every-endpoint.test.ts', import.meta.url), 'utf8');
    expect(endpoints.filter((row) => !tests.includes(row[5]!))).toEqual([]);
  });

  it('names operations that the client has a method for, and the sandbox a route, under one name', () => {
    expect(operationNames.filter((name) => typeof ServiceClient.prototype[name] !== 'function')).toEqual([]);
    const ours = operationNames.map((name) => `${name} ${operationOf(name).method} ${operationOf(name).path}`);
    expect(OPERATIONS.map(({ operationId, method, path }) => `${operationId} ${method.toUpperCase()} ${path}`)).toEqual(
      ours,
    );
    const takesKey = OPERATIONS.filter(({ replays }) => replays).map(({ operationId }) => operationId);
    expect(takesKey).toEqual(keyedOperations);
  });

  it('leaves no cell empty', () => {
    for (const row of rows) expect(row.slice(1, -1)).not.toContain('');
  });
});
