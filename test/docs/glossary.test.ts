import path from 'node:path';
import { expect, test } from 'vitest';
import { apiDocument } from '../../src/console/api/serve-document.js';
import { pages } from '../../src/console/pages/pages.js';
import { codeSpans, readDocument } from './documents.js';

const glossary = readDocument('docs/glossary.md');
/** Fields whose words a reader has to know: `Order.status` and the like. */
const EXPLAINED = /\.(status|state|reason|class|verdict|severity|code)$/;

interface Schema {
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** Closed lists of words in a schema, by the path of their field. */
function listsIn(schema: Schema, at: string): { field: string; words: string[] }[] {
  const own = schema.enum ? [{ field: at, words: schema.enum.filter((word) => typeof word === 'string') }] : [];
  const parts = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => listsIn(part, `${at}.${name}`));
  const inner = [schema.items, ...(schema.anyOf ?? [])].flatMap((part) => (part ? listsIn(part, at) : []));
  return [...own, ...parts, ...inner];
}

/** A detail and a summary have the words of what they are of. */
const lists = Object.entries(apiDocument().components.schemas as Record<string, Schema>)
  .filter(([name]) => !/.(Detail|Summary)$/.test(name))
  .flatMap(([name, schema]) => listsIn(schema, name))
  .filter(({ field }) => EXPLAINED.test(field));

const rows = glossary.text.split('\n').filter((line) => line.startsWith('| '));

test('each closed list of the API is explained, word by word, in the glossary or on the page that it names', () => {
  expect(lists.length).toBeGreaterThan(10);
  const unexplained = lists.flatMap(({ field, words }) => {
    const row = rows.find((line) => line.split('|')[1]!.includes(`\`${field}\``));
    if (row === undefined) return [`${field} has no row`];
    const pages = [...row.matchAll(/\]\(([\w-]+\.md)/g)].map(([, page]) => readDocument(path.join('docs', page!)));
    const explained = new Set([...codeSpans({ name: field, text: row }), ...pages.flatMap(codeSpans)]);
    return words.filter((word) => !explained.has(word)).map((word) => `${field}: ${word}`);
  });
  expect(unexplained).toEqual([]);
});

test('terms stand once, in the order of the alphabet', () => {
  const terms = rows.slice(1).map((line) => line.split('|')[1]!.trim());
  const listed = terms.slice(0, terms.indexOf('field'));
  expect(listed).toEqual([...new Set(listed)].toSorted((a, b) => a.localeCompare(b, 'en')));
});

test('pages of the console are named by their titles', () => {
  const named = rows.flatMap((line) => /console: ([^;|]+)/.exec(line)?.[1]?.trim().split(', ') ?? []);
  expect(named.length).toBeGreaterThan(10);
  const titles = new Set(pages.map(({ title }) => title));
  expect(named.filter((name) => !titles.has(name))).toEqual([]);
});
