import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const TSC = path.join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
/** As strict as anybody may have it. */
const SETTINGS = {
  compilerOptions: {
    strict: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    erasableSyntaxOnly: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    outDir: 'out',
  },
  include: ['*.ts'],
};

/** Compiles a program of somebody else, by the names of its files and beside what is there, into the folder `out`. */
export async function compileStrictly(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const all = { 'package.json': '{"type": "module"}', 'tsconfig.json': JSON.stringify(SETTINGS), ...files };
  for (const [name, text] of Object.entries(all)) await writeFile(path.join(folder, name), text);
  const compile = promisify(execFile)(process.execPath, [TSC, '-p', folder]);
  await compile.catch((error: { stdout?: string }) => expect.fail(error.stdout));
}
