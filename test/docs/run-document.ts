import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inject } from 'vitest';
import { STEP_MS } from '../support/drill.js';
import { codeBlocks, readDocument } from './documents.js';

/** The commands under a heading, block by block, as they stand there. */
export function commandsUnder(name: string, heading: string): string[] {
  return codeBlocks(readDocument(name))
    .filter((block) => block.heading === heading && block.language === 'sh')
    .map(({ text }) => text);
}

export interface Reader {
  /** Runs commands as somebody would who typed them, up to the first that fails; what they print. Fails with it. */
  types: (commands: string | undefined) => Promise<string>;
}

interface Place {
  /** Where they are typed; the program is in a folder beside. */
  cwd: string;
  env: Record<string, string>;
}

/** Somebody at a terminal on whose path `tallyhook` is. */
export async function createReader({ cwd, env }: Place): Promise<Reader> {
  const bin = path.join(cwd, '.bin');
  await mkdir(bin, { recursive: true });
  const shim = path.join(bin, 'tallyhook');
  await writeFile(shim, `#!/bin/sh\nexec "${process.execPath}" "${path.join(inject('program'), 'cli.js')}" "$@"\n`);
  await chmod(shim, 0o755);
  const whole = { NO_COLOR: '1', HOME: cwd, ...env, PATH: `${bin}:${process.env['PATH']}` };
  return {
    types: (commands) =>
      new Promise((resolve, reject) => {
        if (commands === undefined) throw new Error('the document has no such commands');
        const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
          cwd,
          env: whole,
          stdio: ['ignore', 'pipe', 'pipe'],
          timeout: STEP_MS,
        });
        const output = { stdout: '', stderr: '' };
        shell.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
        shell.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
        shell.once('error', reject);
        shell.once('close', (code) => {
          if (code === 0) resolve(output.stdout);
          else reject(new Error(`exit ${code} of:\n${commands}\n${output.stdout}${output.stderr}`));
        });
      }),
  };
}
