import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import { type Rejection, type RejectionCount, saveRejections } from '../records/inbox/rejections.js';
import { countBehind } from './count-behind.js';
import { diagnose } from './diagnose.js';
import { logSeldom } from './log-seldom.js';
import { describeAge, type HeaderValues, type SigningSecret, type Tolerance, valuesOf } from './verify-signature.js';

interface Rejected {
  reason: string;
  detail: string;
  rawBody: Buffer;
  headers: HeaderValues;
}

export interface RejectionLog {
  /** Counts it; keeps a sample of it. Costs next to nothing beyond the sampled ones, and never waits. */
  add(rejected: Rejected): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

const SAMPLED_PER_SORT_AND_MINUTE = 12;
const MAX_WAITING_SAMPLES = 200;
const FIRST_BYTES = 128;
const MINUTE_MS = 60_000;

interface Deps {
  db: Knex;
  log: Logger;
  now: () => Date;
  secrets: { current(): readonly SigningSecret[] };
  tolerance: Tolerance;
  metrics: Pick<Metrics, 'signaturesLikeService'>;
}

/** Rejections in memory, written once a second: a flood of bad signatures costs no query for each. */
export function createRejectionLog({ db, log, now, secrets, tolerance, metrics }: Deps): RejectionLog {
  const takes = createSampler();
  let samples: Rejection[] = [];
  const counts = countBehind<Required<RejectionCount>>({
    keyOf: ({ minute, reason }) => `${minute.getTime()} ${reason}`,
    merge: (known, more) => {
      known.count += more.count;
      known.likeService += more.likeService;
      // What could not be written comes after what is newer.
      if (more.firstAt < known.firstAt) known.firstAt = more.firstAt;
      if (more.lastAt > known.lastAt) known.lastAt = more.lastAt;
    },
    save: async (counted) => {
      const taken = samples;
      samples = [];
      await saveRejections(db, taken, counted).catch((error: unknown) => {
        samples = [...taken, ...samples].slice(0, MAX_WAITING_SAMPLES);
        throw error;
      });
    },
    failed: logSeldom(log, 'rejections not saved'),
  });

  return {
    add(rejected) {
      const at = now();
      const { reason, headers } = rejected;
      const isForged = reason === 'invalid_signature' && secrets.current().length > 0;
      const likeService = isForged && isLikeService(headers, at, tolerance);
      const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
      if (likeService) metrics.signaturesLikeService.inc();
      // Each has samples of its own: noise does not wash away what the service sent.
      if (takes(`${reason} ${likeService}`))
        samples.push({ ...toSample(rejected, at, secrets.current()), likeService });
      counts.add({ minute, firstAt: at, lastAt: at, reason, count: 1, likeService: likeService ? 1 : 0 });
    },
    close: () => counts.close(),
  };
}

/** A few of each sort in each minute: the first ones, which show when a trouble began. */
function createSampler(): (sort: string) => boolean {
  let minute = 0;
  const taken = new Map<string, number>();
  return (sort) => {
    const current = Math.floor(performance.now() / MINUTE_MS);
    if (current !== minute) taken.clear();
    minute = current;
    const before = taken.get(sort) ?? 0;
    taken.set(sort, before + 1);
    return before < SAMPLED_PER_SORT_AND_MINUTE;
  };
}

function toSample(
  { reason, detail, rawBody, headers }: Rejected,
  at: Date,
  secrets: readonly SigningSecret[],
): Omit<Rejection, 'likeService'> {
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

const SIGNATURE = /^sha256=[\da-f]{64}$/i;

/**
 * Whether the headers are those that the service sends (specification 6.1): one signature of its form, its time, just now,
 * and JSON. It distinguishes a delivery from noise, and proves nothing: whoever reads this can send the same.
 */
export function isLikeService(headers: HeaderValues, now: Date, tolerance: Tolerance): boolean {
  const [signature, ...more] = valuesOf(headers, 'x-service-signature');
  const [time = ''] = valuesOf(headers, 'x-service-timestamp');
  const [type = ''] = valuesOf(headers, 'content-type');
  if (signature === undefined || more.length > 0 || !SIGNATURE.test(signature)) return false;
  if (!/^\d{1,12}$/.test(time) || describeAge(Number(time), now, tolerance) !== null) return false;
  return type.toLowerCase().startsWith('application/json');
}
