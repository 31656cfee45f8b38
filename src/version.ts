import { readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** The version in package.json (the newest heading of CHANGELOG.md), which stands one folder above both src/ and dist/. */
export const version: string = manifest.parse(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
).version;

/** The git commit that `npm run build` compiled; null: it is not known. */
export const commit: string | null = readCommit();

function readCommit(): string | null {
  try {
    return /^[0-9a-f]{7,40}$/.exec(readFileSync(new URL('./commit', import.meta.url), 'utf8').trim())?.[0] ?? null;
  } catch {
    return null;
  }
}

/** As a person reads it: `0.1.0 (4859d62f9f2c)`. */
export const versionText = commit === null ? version : `${version} (${commit})`;
