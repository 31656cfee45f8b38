import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Observation } from '../src/domain/observation.js';

const BENCH = path.join(import.meta.dirname, '../bench');
const files = readdirSync(BENCH, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.mjs') && !name.includes('node_modules'))
  .map((name) => path.join(BENCH, name));

/** No compiler reads the benches. */
test('what the benches import of the program is there, under these names', () => {
  const imports = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^import \{([^}]+)\} from '(\.[^']*\/dist\/[^']+)\.js';/gm)].map(
      ([, names = '', from = '']) => ({ names, source: path.resolve(path.dirname(file), from) }),
    ),
  );
  expect(imports.length).toBeGreaterThan(15);
  const missing = imports.flatMap(({ names, source }) => {
    const module = `${source.replace('/dist/', '/src/')}.ts`;
    const text = existsSync(module) ? readFileSync(module, 'utf8') : '';
    return names
      .split(',')
      .map((name) => name.trim().split(' as ')[0] ?? '')
      .filter((name) => name !== '' && !new RegExp(`^export .*\\b${name}\\b`, 'm').test(text))
      .map((name) => `${path.relative(BENCH, module)}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('the bench of saves makes polls', () => {
  const type: Observation['type'] = 'poll';
  expect(readFileSync(path.join(BENCH, 'suites/saves.mjs'), 'utf8')).toContain(`type: '${type}',\n      kind,`);
});
