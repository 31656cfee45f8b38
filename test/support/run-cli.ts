import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { inject, vi } from 'vitest';
import { STEP_MS } from './drill.js';

interface Surroundings {
  cwd: string;
  env?: Record<string, string>;
  /** Folder of another compiled program than that of the run. */
  program?: string;
  /** When a verb that is run to its end is killed; 25 s unless given. */
  longestMs?: number;
}

export interface CliProcess {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  /** The first match in stdout; fails when the process ends before it, or after as long as a step of a drill may take. */
  stdoutMatch(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Sends a signal and waits for the end; `null` only waits. Returns the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals | null): Promise<number | string>;
}

/** A `tallyhook` process of its own, with no settings but the given. */
export function startCli(args: string[], { cwd, env = {}, program = inject('program') }: Surroundings): CliProcess {
  const child = spawn(process.execPath, [path.join(program, 'cli.js'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'], NO_COLOR: '1', DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (output.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (output.stderr += String(chunk)));
  const closed = once(child, 'close');
  return {
    child,
    output,
    stdoutMatch: (pattern) =>
      vi
        .waitUntil(
          () => {
            const match = pattern.exec(output.stdout);
            if (!match && child.exitCode !== null) throw new Error(`ended (${child.exitCode}): ${output.stderr}`);
            return match;
          },
          { timeout: STEP_MS, interval: 25 },
        )
        .catch((cause: unknown) => {
          throw new Error(`no ${String(pattern)} in stdout; stderr: ${output.stderr}`, { cause });
        }),
    end: async (signal) => {
      if (signal) child.kill(signal);
      const [code, killedBy] = await closed;
      return code ?? killedBy;
    },
  };
}

const LONGEST_RUN_MS = 25_000;

/** Runs a verb to its end; one that does not end is killed, and its signal is its code. */
export async function runCli(
  args: string[],
  surroundings: Surroundings,
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const running = startCli(args, surroundings);
  const limit = setTimeout(() => running.child.kill('SIGKILL'), surroundings.longestMs ?? LONGEST_RUN_MS);
  const code = await running.end(null);
  clearTimeout(limit);
  return { code, ...running.output };
}
