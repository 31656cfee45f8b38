import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** One at a time: settings, folder and streams are those of the process. */
let last: Promise<unknown> = Promise.resolve();
let runs = 0;

/**
 * Runs a verb of the compiled program to its end as `runCli` does, but in this process: what a verb of its own takes
 * longest for is to load. For verbs that end by themselves: roles, signals and kills need a process.
 */
export function runHere(args: string[], surroundings: { cwd: string; env?: Record<string, string> }): Promise<Outcome> {
  const turn = last.then(() => play(args, surroundings));
  last = turn.catch(() => {});
  return turn;
}

async function play(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Outcome> {
  const { argv, env: ownEnv, exitCode, stdout, stderr } = process;
  const ownFolder = process.cwd();
  const writes = [stdout.write, stderr.write, fs.writeSync] as const;
  const said = { stdout: '', stderr: '' };
  const main = path.join(inject('program'), 'cli.js');
  try {
    process.chdir(cwd);
    process.argv = [process.execPath, main, ...args];
    process.env = { PATH: ownEnv['PATH'], TMPDIR: ownEnv['TMPDIR'], NO_COLOR: '1', ...env };
    process.exitCode = undefined;
    stdout.write = taking((text) => (said.stdout += text));
    stderr.write = taking((text) => (said.stderr += text));
    // The log is written past the stream.
    fs.writeSync = ((fd: number, text: string, ...rest: []) =>
      fd === 2 ? stderr.write(text) && Buffer.byteLength(text) : writes[2](fd, text, ...rest)) as typeof fs.writeSync;
    runs += 1;
    // Its first lines run again for each number; what they import is loaded once.
    await import(/* @vite-ignore */ `${pathToFileURL(main).href}?run=${runs}`);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    [stdout.write, stderr.write, fs.writeSync] = writes;
    Object.assign(process, { argv, env: ownEnv, exitCode });
    process.chdir(ownFolder);
    // Each run listens for a reader that leaves early.
    stdout.removeAllListeners('error');
  }
}

function taking(take: (text: string) => void): typeof process.stdout.write {
  return (chunk: string | Uint8Array, ...rest: unknown[]) => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  };
}
