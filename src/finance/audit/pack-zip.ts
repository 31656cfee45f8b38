import { createHash } from 'node:crypto';
import { type ZippedFile, zipFiles } from '../exports/zip-files.js';

/** The format of a zip without its 64-bit extension holds no more, in a file or in all. */
const MOST_BYTES = 4_294_000_000;
/** A part of what may be longer. */
const PART_BYTES = 1_000_000_000;

/** The files, and after them the list of their hashes. */
export function packedZip(files: AsyncIterable<ZippedFile>): AsyncGenerator<Uint8Array> {
  return zipFiles(withManifest(files));
}

async function* withManifest(files: AsyncIterable<ZippedFile>): AsyncGenerator<ZippedFile> {
  const sums: string[] = [];
  for await (const { name, content } of files)
    yield { name, content: hashed(content, (sha256) => sums.push(`${sha256}  ${name}\n`)) };
  yield { name: 'MANIFEST.sha256', content: sums };
}

async function* hashed(
  content: ZippedFile['content'],
  onHash: (sha256: string) => void,
): AsyncGenerator<string | Uint8Array> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of content) {
    hash.update(part);
    bytes += Buffer.byteLength(part);
    if (bytes > MOST_BYTES) throw tooLarge();
    yield part;
  }
  onHash(hash.digest('hex'));
}

/** Files of a name and a number, each of whole lines. */
export async function* inParts(
  name: (part: string) => string,
  lines: AsyncIterable<string>,
): AsyncGenerator<ZippedFile> {
  const reader = lines[Symbol.asyncIterator]();
  let next = await reader.next();
  for (let part = 1; part === 1 || next.done !== true; part += 1)
    yield { name: name(String(part).padStart(4, '0')), content: onePart() };

  async function* onePart(): AsyncGenerator<string> {
    for (let bytes = 0; next.done !== true && bytes < PART_BYTES; next = await reader.next()) {
      bytes += Buffer.byteLength(next.value);
      yield next.value;
    }
  }
}

export async function* limited(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > MOST_BYTES) throw tooLarge();
    yield part;
  }
}

function tooLarge(): Error {
  return new Error(
    'the month is more than a zip of 4 GB can hold: tallyhook export and tallyhook audit export write folders',
  );
}
