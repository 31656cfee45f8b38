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
  const said = { stdout: '', stderr: '' };
  const main = path.join(inject('program'), 'cli.js');
  const put = [
    replaced(stdout, 'write', () => taking((text) => (said.stdout += text))),
    replaced(stderr, 'write', () => taking((text) => (said.stderr += text))),
    // The log is written past the stream.
    replaced(fs, 'writeSync', (own) => (fd: number, text: string, ...rest: []) => {
      if (fd !== stderr.fd) return own(fd, text, ...rest);
      said.stderr += text;
      return Buffer.byteLength(text);
    }),
  ];
  try {
    process.chdir(cwd);
    process.env = { PATH: ownEnv['PATH'], TMPDIR: ownEnv['TMPDIR'], NO_COLOR: '1', ...env };
    Object.assign(process, { argv: [process.execPath, main, ...args], exitCode: undefined });
    runs += 1;
    // Its first lines run again for each number; what they import is loaded once.
    await import(/* @vite-ignore */ `${pathToFileURL(main).href}?run=${runs}`);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    for (const back of put) back();
    Object.assign(process, { argv, env: ownEnv, exitCode });
    process.chdir(ownFolder);
    // Each run listens for a reader that leaves early.
    stdout.removeAllListeners('error');
  }
}

/** Puts another function in the place of one; what is answered takes it back. */
function replaced(owner: object, name: string, other: (own: (...given: unknown[]) => unknown) => unknown): () => void {
  const own = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
  const had = Object.getOwnPropertyDescriptor(owner, name);
  Reflect.set(
    owner,
    name,
    other((...given) => own.apply(owner, given)),
  );
  return () => {
    if (had) Object.defineProperty(owner, name, had);
    else Reflect.deleteProperty(owner, name);
  };
}

function taking(take: (text: string) => void) {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    for (const done of rest) if (typeof done === 'function') done();
    return true;
  };
}
