import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, codeSpans, type Document, ROOT, readDocument, readDocuments } from './documents.js';

const documents = readDocuments();

/** Where links and pictures lead, if not to another site. */
function targetsOf({ text }: Document): string[] {
  const found = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return found.filter((target) => !/^https?:/.test(target));
}

function fileOf(document: Document, target: string): string {
  const [file = ''] = target.split('#');
  return file === '' ? document.name : path.join(path.dirname(document.name), file);
}

test('every link leads to a file that is there, and to a heading of it', () => {
  const dead = documents.flatMap((document) =>
    targetsOf(document).filter((target) => {
      const file = fileOf(document, target);
      const [, anchor] = target.split('#');
      if (!existsSync(path.join(ROOT, file))) return true;
      return anchor !== undefined && !anchorsOf(readDocument(file)).includes(anchor);
    }),
  );
  expect(documents.flatMap(targetsOf).length).toBeGreaterThan(30);
  expect(dead).toEqual([]);
});

test('every page and every picture is linked from another', () => {
  const linked = new Set(
    documents.flatMap((document) =>
      targetsOf(document)
        .map((target) => fileOf(document, target))
        .filter((file) => file !== document.name),
    ),
  );
  const pictures = readdirSync(path.join(ROOT, 'docs/images')).map((name) => `docs/images/${name}`);
  const pages = documents.map(({ name }) => name).filter((name) => /^(docs\/[^/]+|CONTRIBUTING\.md)$/.test(name));
  expect([...pages, ...pictures].filter((name) => !linked.has(name))).toEqual([]);
});

test('every file and folder of the project that a document names is there', () => {
  const named = documents.flatMap((document) =>
    codeSpans(document)
      .filter((span) => /^(src|test|docs|migrations|deploy|bench)\/[\w./-]*$/.test(span))
      .map((span) => ({ document: document.name, span })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ span }) => !existsSync(path.join(ROOT, span)))).toEqual([]);
});
