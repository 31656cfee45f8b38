import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.js';

/**
 * One clock for the service and for every process of ours: hours pass in moments, and an event that the service sends
 * late is as old to our receiver as to the service. It begins so far in the past that it never overtakes the database's.
 */
export interface DrillClock {
  /** For the processes: loads the clock before anything else. */
  env: Record<string, string>;
  /** The clock under the sandbox's own. */
  realNow: () => number;
  /** Nothing may be on its way meanwhile: for a moment our processes are ahead. */
  advance(sandbox: Sandbox, seconds: number): Promise<void>;
  /** Sets the clock of our processes so far ahead of the service's, or behind where negative. */
  step(seconds: number): Promise<void>;
}

const READ_EVERY_MS = 10;

/** Date for a process of its own; timers and performance.now() go on as they are. */
const PRELOADED = `
import { readFileSync } from 'node:fs';
const Real = Date;
let shift = Number(readFileSync(process.env.DRILL_CLOCK_FILE, 'utf8'));
let readAt = performance.now();
const now = () => {
  const at = performance.now();
  if (at - readAt > ${READ_EVERY_MS}) {
    readAt = at;
    shift = Number(readFileSync(process.env.DRILL_CLOCK_FILE, 'utf8'));
  }
  return Real.now() + shift;
};
globalThis.Date = class Date extends Real {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }
  static now() {
    return now();
  }
};
`;

/** `behindSeconds`: how much will be advanced in all, at most. */
export async function createDrillClock(folder: string, behindSeconds: number): Promise<DrillClock> {
  const file = path.join(folder, 'shift');
  const preloaded = path.join(folder, 'clock.mjs');
  let shift = -behindSeconds * 1000;
  let stepped = 0;
  const write = async () => {
    if (shift + stepped > 0) throw new Error('the clock of the drill would overtake the real one');
    await writeFile(`${file}.new`, String(shift + stepped));
    await rename(`${file}.new`, file);
    await delay(READ_EVERY_MS * 3);
  };
  const begun = shift;
  await write();
  await writeFile(preloaded, PRELOADED);
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(preloaded).href}`, DRILL_CLOCK_FILE: file },
    realNow: () => Date.now() + begun,
    async advance(sandbox, seconds) {
      await sandbox.control.deliveriesIdle();
      shift += seconds * 1000;
      await write();
      sandbox.control.advance(seconds);
    },
    async step(seconds) {
      stepped = seconds * 1000;
      await write();
    },
  };
}
