import fc from 'fast-check';
import { unzipSync, Zip, ZipDeflate } from 'fflate';
import { expect, test } from 'vitest';
import { type ZippedFile, zipFiles } from '../../src/finance/exports/zip-files.js';

async function zipped(files: readonly ZippedFile[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of zipFiles(given(files))) parts.push(part);
  return Buffer.concat(parts);
}

async function* given(files: readonly ZippedFile[]): AsyncGenerator<ZippedFile> {
  yield* files;
}

/** As one thread packs it, part by part. */
function packedHere(files: readonly { name: string; content: readonly string[] }[]): Buffer {
  const made: Uint8Array[] = [];
  const zip = new Zip((_, part) => made.push(part));
  for (const { name, content } of files) {
    const file = new ZipDeflate(name, { level: 6 });
    file.mtime = new Date(1980, 0, 1);
    zip.add(file);
    for (const part of content) file.push(Buffer.from(part));
    file.push(new Uint8Array(0), true);
  }
  zip.end();
  return Buffer.concat(made);
}

const part = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), fc.integer({ min: 0, max: 9_000 }))
  .map(([text, times]) => Array.from({ length: times }, (_, n) => `${text}${n * 7_919}`).join(''));

test('files of any length are the same bytes, whichever thread compresses them, and come back whole', async () => {
  let long = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part, { maxLength: 8 }), { maxLength: 3 }), async (contents) => {
      const files = contents.map((content, n) => ({ name: `${n} ü.txt`, content }));
      const bytes = await zipped(files);
      expect(bytes.equals(packedHere(files))).toBe(true);
      const found = unzipSync(bytes);
      for (const { name, content } of files)
        expect(Buffer.from(found[name] ?? []).equals(Buffer.from(content.join('')))).toBe(true);
      long += contents.filter((content) => Buffer.byteLength(content.join('')) > 262_144).length;
    }),
    { numRuns: 25 },
  );
  expect(long).toBeGreaterThan(5);
}, 60_000);

test('bytes that are given are not taken away', async () => {
  const bytes = Buffer.alloc(300_000, 'a');
  await zipped([{ name: 'a', content: [bytes, bytes] as unknown as Iterable<string> }]);
  expect(bytes).toHaveLength(300_000);
});

test('what fails while it is made fails the zip, also behind what a thread compresses already', async () => {
  async function* broken(): AsyncGenerator<string> {
    yield 'a'.repeat(300_000);
    throw new Error('the database is gone');
  }
  await expect(zipped([{ name: 'a', content: broken() }])).rejects.toThrow('the database is gone');
});
