import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { ROOT, readDocument } from './documents.js';

const LEVELS = ['info', 'warn', 'error', 'fatal'];
/** Where a message is passed on that stands elsewhere: as the second argument of a call. */
const PASSES_ON = ['src/webhook/log-seldom.ts', 'src/records/database/repeat.ts'];
const PASSING = ['logSeldom', 'logFailure'];
/** Greppable: a few plain words, nothing of the case at hand. */
const PHRASE = /^[A-Za-z][\w-]*( [\w-]+){0,5}$/;

interface Node {
  type?: string;
  [key: string]: unknown;
}

const name = (node: unknown): unknown => (node as Node | undefined)?.['name'];

function callsIn(node: unknown): Node[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(callsIn);
  const own = (node as Node).type === 'CallExpression' ? [node as Node] : [];
  return [...own, ...Object.values(node).flatMap(callsIn)];
}

/** The level and the text of what a call logs; null: it logs nothing that operators see. */
function loggedBy({ callee, arguments: given }: Node): { level: string; text: Node | undefined } | null {
  const [args, called] = [given as Node[], callee as Node];
  if (PASSING.includes(name(called) as string)) return { level: 'warn', text: args[1] };
  const log = called['object'] as Node | undefined;
  const isLog = name(log) === 'log' || name(log?.['property']) === 'log';
  const level = name(called['property']);
  return isLog && LEVELS.includes(level as string) ? { level: level as string, text: args.at(-1) } : null;
}

/** Of a choice both; null for what is no text as it stands. */
function textsOf(node: Node | undefined): (string | null)[] {
  if (node?.type === 'ConditionalExpression')
    return [node['consequent'], node['alternate']].flatMap((one) => textsOf(one as Node));
  return [typeof node?.['value'] === 'string' ? node['value'] : null];
}

const logged = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => path.join('src', file))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('src/sandbox/') && !PASSES_ON.includes(file))
  .flatMap((file) => {
    const source = readFileSync(path.join(ROOT, file), 'utf8');
    if (!/\blog\b|logSeldom|logFailure/.test(source)) return [];
    return callsIn(parseAst(source, { lang: 'ts' })).flatMap((call) => {
      const found = loggedBy(call);
      return found === null ? [] : textsOf(found.text).map((text) => ({ file, level: found.level, text }));
    });
  });

test('what is logged is a phrase that stands in the code as it is', () => {
  expect(logged.length).toBeGreaterThan(60);
  expect(logged.filter(({ text }) => text === null || !PHRASE.test(text))).toEqual([]);
});

test('the runbook has each log message with its level, and no other', () => {
  const [, section = ''] = readDocument('docs/runbook.md').text.split('\n## Log messages\n');
  const rows = [...section.split('\n## ')[0]!.matchAll(/^\| `([^`]+)` \| (\w+) \| .+ \|$/gm)];
  const written = rows.map(([, text, level]) => `${level} ${text}`);
  expect(written).toEqual([...new Set(written)]);
  expect(written.toSorted()).toEqual([...new Set(logged.map(({ level, text }) => `${level} ${text}`))].toSorted());
});
