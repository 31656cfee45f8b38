import { Zip, ZipDeflate } from 'fflate';

export interface ZippedFile {
  name: string;
  content: AsyncIterable<string | Uint8Array> | Iterable<string>;
}

/** The first day that a zip can hold, for every file: the same content is the same bytes, whenever and wherever it is made. */
const NO_TIME = new Date(1980, 0, 1);

/** A zip, while its files are made one after the other; memory does not grow with them. */
export async function* zipFiles(files: AsyncIterable<ZippedFile>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, made) => {
    if (error !== null) throw error;
    ready.push(made);
  });
  const encoder = new TextEncoder();
  for await (const { name, content } of files) {
    const file = new ZipDeflate(name, { level: 6 });
    file.mtime = NO_TIME;
    zip.add(file);
    for await (const part of content) {
      file.push(typeof part === 'string' ? encoder.encode(part) : part);
      yield* ready.splice(0);
    }
    file.push(new Uint8Array(0), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}
