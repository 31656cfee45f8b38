import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { type Rejection, saveRejections } from '../records/rejections.js';
import { diagnose } from './diagnose.js';
import { logSeldom } from './log-seldom.js';
import type { HeaderValues, SigningSecret } from './match-signature.js';

export interface Refused {
  reason: string;
  detail: string;
  rawBody: Buffer;
  headers: HeaderValues;
}

export interface RejectionLog {
  /** Counts it; keeps a sample of it. Costs next to nothing beyond the sampled ones, and never waits. */
  add(refused: Refused): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

const FLUSH_MS = 1_000;
const SAMPLED_PER_REASON_AND_MINUTE = 12;
const MAX_WAITING_SAMPLES = 200;
const FIRST_BYTES = 128;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface Deps {
  db: Knex;
  log: Logger;
  now: () => Date;
  secrets: { current(): readonly SigningSecret[] };
}

/** Refusals in memory, written once a second: a flood of bad signatures costs no query for each. */
export function createRejectionLog(deps: Deps): RejectionLog {
  const counts = new Map<string, { hour: Date; reason: string; count: number }>();
  const takes = createSampler();
  const failed = logSeldom(deps.log, 'rejections could not be written, they stay in memory');
  let samples: Rejection[] = [];
  let timer: NodeJS.Timeout | null = null;
  let flushing = Promise.resolve();

  function count(reason: string, at: number): void {
    const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
    const key = `${hour} ${reason}`;
    const entry = counts.get(key);
    if (entry) entry.count += 1;
    else counts.set(key, { hour: new Date(hour), reason, count: 1 });
  }

  async function flush(): Promise<void> {
    const counted = [...counts.values()];
    const taken = samples;
    if (counted.length === 0) return;
    counts.clear();
    samples = [];
    try {
      await saveRejections(deps.db, taken, counted);
    } catch (error) {
      failed(error);
      samples = [...taken, ...samples].slice(0, MAX_WAITING_SAMPLES);
      for (const { hour, reason, count: missed } of counted) {
        const key = `${hour.getTime()} ${reason}`;
        counts.set(key, { hour, reason, count: missed + (counts.get(key)?.count ?? 0) });
      }
      later();
    }
  }

  function later(): void {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      flushing = flushing.then(flush);
    }, FLUSH_MS).unref();
  }

  return {
    add(refused) {
      const at = deps.now();
      count(refused.reason, at.getTime());
      if (takes(refused.reason)) samples.push(toSample(refused, at, deps.secrets.current()));
      later();
    },
    async close() {
      await flushing;
      await flush();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** A few of each reason in each minute: the first ones, which show when a trouble began. */
function createSampler(): (reason: string) => boolean {
  let minute = 0;
  const taken = new Map<string, number>();
  return (reason) => {
    const current = Math.floor(performance.now() / MINUTE_MS);
    if (current !== minute) taken.clear();
    minute = current;
    const before = taken.get(reason) ?? 0;
    taken.set(reason, before + 1);
    return before < SAMPLED_PER_REASON_AND_MINUTE;
  };
}

function toSample(
  { reason, detail, rawBody, headers }: Refused,
  at: Date,
  secrets: readonly SigningSecret[],
): Rejection {
  return {
    reason,
    detail,
    diagnosis: diagnose(reason, rawBody, headers, secrets),
    bodySize: rawBody.length,
    bodyHash: createHash('sha256').update(rawBody).digest('hex'),
    firstBytes: Buffer.from(rawBody.subarray(0, FIRST_BYTES)),
    rejectedAt: at,
  };
}
