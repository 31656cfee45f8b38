import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Order, Played } from './play.js';

/** Plays orders in a process of its own, which is killed and made again when a mutant never ends. */
export interface Player {
  /** `late`: it took longer than `limit` ms, or its process ended. */
  play(order: Order, limit: number): Promise<Played | 'late'>;
  close(): Promise<void>;
}

const START_LIMIT = 240_000;

export function createPlayer(database: boolean): Player {
  let child: ChildProcess | null = null;
  const end = async () => {
    const goesOn = child?.exitCode === null && child.signalCode === null;
    const ended = child && goesOn ? once(child, 'exit') : undefined;
    child?.kill('SIGKILL');
    child = null;
    await ended;
  };
  return {
    async play(order, limit) {
      if (child === null) {
        const args = ['play.ts', ...(database ? ['database'] : [])];
        const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
        child = fork('test/mutation/run.mjs', args, {
          stdio: [...stdio],
          env: { ...process.env, NODE_NO_WARNINGS: '1' },
        });
        const ready = await answer(child, START_LIMIT);
        if (ready !== 'ready') throw new Error(`no player could be started: ${JSON.stringify(ready)}`);
      }
      child.send(order);
      // A mutant that ends the process, as one that fills its memory does, is noticed; without one the player must hold.
      const played = await answer(child, limit).catch((error: unknown) => {
        if (order.change === null) throw error;
        return 'late';
      });
      if (played === 'late') await end();
      else if (!isPlayed(played)) throw new Error(`the player failed: ${JSON.stringify(played)}`);
      return played;
    },
    async close() {
      if (child === null) return;
      if (!child.connected) return end();
      const ended = once(child, 'exit');
      child.disconnect();
      const timer = setTimeout(() => void end(), 60_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The next message of a process; `late` after so many ms; an error if it ends instead. */
function answer(child: ChildProcess, limit: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (value: unknown) => {
      clearTimeout(timer);
      child.off('message', settle).off('exit', left);
      resolve(value);
    };
    const left = (code: number | null) => reject(new Error(`the player ended with ${code}`));
    const timer = setTimeout(settle, limit, 'late');
    child.once('message', settle).once('exit', left);
  });
}

function isPlayed(value: unknown): value is Played {
  return typeof value === 'object' && value !== null && 'failed' in value;
}
