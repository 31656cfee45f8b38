import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

export interface WrittenFile {
  name: string;
  sha256: string;
  bytes: number;
}

/** One that would be written: its length and its hash, where they are known without making it. */
export type PlannedFile = Pick<WrittenFile, 'name'> & { [K in 'sha256' | 'bytes']: WrittenFile[K] | null };

interface Content {
  name: string;
  sha256?: string;
  content: AsyncIterable<string | Uint8Array> | Iterable<string>;
}

/**
 * Writes files and a list of their hashes (`<label>.sha256`, for `sha256sum -c`), none of which has its name before all are
 * written: who finds one finds it whole, and what fails leaves nothing behind. `twins`: the same files from other sources,
 * each of which is written from while the others are; every file is written once.
 * @throws {Error} where one is not what it has to be
 */
export async function writeFolder(
  dir: string,
  label: string,
  files: readonly Content[],
  ...twins: readonly (readonly Content[])[]
): Promise<WrittenFile[]> {
  await mkdir(dir, { recursive: true });
  const ending = `.${randomBytes(6).toString('hex')}.tmp`;
  const written: WrittenFile[] = [];
  const sums = sumsOf(label);
  const names = [...files.map(({ name }) => name), sums];
  const left = [...files.keys()];
  try {
    // All have ended before what they left is removed.
    for (const lane of await Promise.allSettled([files, ...twins].map(writeLane)))
      if (lane.status === 'rejected') throw lane.reason;
    await writeFile(tempOf(sums), [written.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')]);
    for (const name of names) await rename(tempOf(name), path.join(dir, name));
  } catch (error) {
    await Promise.all(names.map((name) => rm(tempOf(name), { force: true })));
    throw error;
  }
  return written;

  async function writeLane(own: readonly Content[]): Promise<void> {
    for (let n = left.shift(); n !== undefined; n = left.shift()) written[n] = await writeOne(own[n] as Content);
  }

  async function writeOne({ name, content, sha256 }: Content): Promise<WrittenFile> {
    try {
      const file = { name, ...(await writeFile(tempOf(name), content)) };
      if (sha256 !== undefined && sha256 !== file.sha256) throw new Error(`${name} is not what was stored of it`);
      return file;
    } catch (error) {
      left.length = 0;
      throw error;
    }
  }

  function tempOf(name: string): string {
    return path.join(dir, `.${name}${ending}`);
  }
}

export function planFolder(
  label: string,
  files: readonly { name: string; sha256?: string; bytes?: number }[],
): PlannedFile[] {
  return [...files, { name: sumsOf(label) }].map(({ name, sha256 = null, bytes = null }) => ({ name, sha256, bytes }));
}

const sumsOf = (label: string): string => `${label}.sha256`;

async function writeFile(file: string, content: Content['content']): Promise<Omit<WrittenFile, 'name'>> {
  const handle: FileHandle = await open(file, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of content) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      hash.update(buffer);
      bytes += buffer.length;
      await handle.writeFile(buffer);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}
