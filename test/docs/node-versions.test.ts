import { expect, test } from 'vitest';
import { readDocument } from './documents.js';

/** Those that `npm run test:nodes` runs, the oldest first. */
const tested = [...readDocument('test/nodes.mjs').text.matchAll(/'(\d+\.\d+\.\d+)'/g)].map(
  ([, version = '']) => version,
);
/** Lines of them, such as 20.19 and 22. */
const named = /Tested with Node ([\d., and]+)\.\s/.exec(readDocument('README.md').text)?.[1]?.split(/, | and /) ?? [];

test('the README names the versions of Node that are tested, and package.json the oldest', () => {
  expect(tested.length).toBeGreaterThan(2);
  expect(named.map((line) => tested.filter((version) => version.startsWith(`${line}.`)))).toEqual(
    tested.map((version) => [version]),
  );
  const { engines } = JSON.parse(readDocument('package.json').text) as { engines: { node: string } };
  expect(engines.node).toBe(`>=${named[0]}`);
});

test('the image and whoever uses .nvmrc have a tested line of Node', () => {
  const image = /^FROM node:(\d+)/m.exec(readDocument('Dockerfile').text)?.[1];
  const lines = [image, readDocument('.nvmrc').text.trim()];
  expect(lines.filter((line) => !tested.some((version) => version.startsWith(`${line}.`)))).toEqual([]);
});
