import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * `pure` needs nothing but its own process, `database` the cluster of the run, a network that hangs or a queue, whose timers
 * outlive it; `process` the compiled program, a browser or a public linter too.
 */
const tiers = ['pure', 'database', 'process'] as const;
export type Tier = (typeof tiers)[number];

/** What only a tier has; a file is of the last tier that it, or what it imports from test/, asks for. */
const MARKS: Readonly<Record<Exclude<Tier, 'pure'>, RegExp>> = {
  database: /inject\('clusterUrl'\)|startScriptedService\(|createEventQueue\(/,
  process:
    /inject\('program'\)|from 'node:child_process'|from 'playwright-core'|from '@redocly\/openapi-core'|createTestCluster\(/,
};
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g;
/** What is imported for its types alone is not there when it runs. */
const TYPES = /^import type [^;]*;/gm;
/** Files of a tier share their processes, and what is mocked so outlives its file. */
const OUTLIVES = /\bvi\.mock\(/;
const TEST = /\.test\.ts$/;
/** Files that `npm test` leaves out; docs/reliability.md says of each what holds the same there. */
const LONG = /\.long\.test\.ts$/;

/** Paths of the test files of each tier, relative to the root; the long ones only where they are asked for. */
export function filesByTier(root: string, { long }: { long: boolean }): Record<Tier, string[]> {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const text = texts.get(file) ?? readFileSync(file, 'utf8');
    texts.set(file, text);
    return text;
  };
  const files = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => TEST.test(name) && (long || !LONG.test(name)))
    .sort();
  const found: Record<Tier, string[]> = { pure: [], database: [], process: [] };
  for (const name of files) {
    const file = path.join(root, 'test', name);
    if (OUTLIVES.test(textOf(file)))
      throw new Error(`${name}: vi.mock() changes a module for other files too; vi.spyOn() is undone`);
    const reached = [...reachedFrom(file, path.join(root, 'test'), textOf)].map(textOf);
    const tier = tiers.findLast((one) => one !== 'pure' && reached.some((text) => MARKS[one].test(text)));
    found[tier ?? 'pure'].push(path.join('test', name));
  }
  return found;
}

function reachedFrom(file: string, within: string, textOf: (file: string) => string): Set<string> {
  const reached = new Set([file]);
  for (const one of reached)
    for (const [, imported = ''] of textOf(one).replaceAll(TYPES, '').matchAll(IMPORT)) {
      const target = path.resolve(path.dirname(one), `${imported}.ts`);
      if (target.startsWith(`${within}${path.sep}`) && existsSync(target)) reached.add(target);
    }
  return reached;
}
