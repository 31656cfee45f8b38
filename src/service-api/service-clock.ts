/** Where the service's clock stands against ours, in milliseconds: service time minus local time lies in [low, high]. */
export interface ClockBounds {
  low: number;
  high: number;
}

/** One answer: local times (ms) around the moment at which the service wrote `date` (ms, cut to a whole second). */
export interface ClockSample {
  sentAt: number;
  receivedAt: number;
  date: number;
}

const RESOLUTION_MS = 1_000;
const MAX_AGE_MS = 600_000;
const MAX_SAMPLES = 64;
/** How fast two clocks that are being adjusted may drift apart: 500 ppm each is what kernels allow. */
const DRIFT = 0.001;
/** Hosts behind one name disagree by no more than this; a larger jump is a clock that was set anew. */
const MAX_DISAGREEMENT_MS = 5_000;
/** So many answers in a row must agree that the service's clock jumped ahead. */
const JUMP_ANSWERS = 3;
/** Before the first answer, and for a service without Date headers: both clocks are taken to be kept by NTP. */
const ASSUMED: ClockBounds = { low: -2_000, high: 2_000 };

/**
 * Learns the service's clock from Date headers. One answer bounds the offset to a second and the time of the round trip;
 * many answers intersect. Answers that can't all be true (hosts that disagree) widen the bounds so that each is inside;
 * a jump of more than five seconds makes a new start. A jump ahead counts from the third answer in a row that shows it: one
 * host with a wrong date would otherwise make polls that nothing true could overtake until that date.
 */
export class ServiceClock {
  readonly local: () => number;
  private samples: ClockSample[] = [];
  /** Answers in a row that show a jump ahead. */
  private ahead: ClockSample[] = [];

  /** `local`: a clock in ms since the epoch that never jumps. */
  constructor(local: () => number) {
    this.local = local;
  }

  note(sample: ClockSample): void {
    const { low, high } = boundsOf(sample, sample.receivedAt);
    if (!Number.isFinite(low + high) || low > high) return;
    const kept = this.samples.filter((known) => !isFar(known, sample));
    const jumps = kept.length === 0 && this.isAhead(sample);
    this.ahead = jumps ? [...this.ahead.filter((other) => !isFar(other, sample)), sample] : [];
    if (jumps && this.ahead.length < JUMP_ANSWERS) return;
    this.samples = withoutOldest([...kept, ...(jumps ? this.ahead : [sample])], sample.receivedAt);
    this.ahead = [];
  }

  private isAhead({ date, receivedAt }: ClockSample): boolean {
    const last = this.samples.at(-1);
    return last !== undefined && date - receivedAt > last.date - last.receivedAt;
  }

  /** Null before the first answer with a date, and again when the last one is more than ten minutes old. */
  measured(): (ClockBounds & { samples: number }) | null {
    const now = this.local();
    const fresh = this.samples.filter(({ receivedAt }) => receivedAt >= now - MAX_AGE_MS);
    if (fresh.length === 0) return null;
    const groups = consistentGroups(fresh.map((sample) => boundsOf(sample, now)).reverse());
    return {
      low: Math.min(...groups.map(({ low }) => low)),
      high: Math.max(...groups.map(({ high }) => high)),
      samples: fresh.length,
    };
  }

  bounds(): ClockBounds {
    return this.measured() ?? ASSUMED;
  }

  now(): number {
    const { low, high } = this.bounds();
    return this.local() + (low + high) / 2;
  }
}

/** What a sample says of the offset at the local time `now`: the older, the less. */
function boundsOf({ sentAt, receivedAt, date }: ClockSample, now: number): ClockBounds {
  const drift = Math.max(0, now - sentAt) * DRIFT;
  return { low: date - receivedAt - drift, high: date + RESOLUTION_MS - sentAt + drift };
}

/**
 * No more than are kept: the oldest goes, but for the two that say most. A burst of answers within one second says less than
 * the answers around the last turn of a second, and a poll must not seem older than the one before it.
 */
function withoutOldest(samples: ClockSample[], now: number): ClockSample[] {
  if (samples.length <= MAX_SAMPLES) return samples;
  const bounds = samples.map((sample) => boundsOf(sample, now));
  const lowest = bounds.reduce((best, { low }, n) => (low > (bounds[best]?.low ?? low) ? n : best), 0);
  const highest = bounds.reduce((best, { high }, n) => (high < (bounds[best]?.high ?? high) ? n : best), 0);
  return samples.toSpliced(
    samples.findIndex((_, n) => n !== lowest && n !== highest),
    1,
  );
}

function isFar(a: ClockSample, b: ClockSample): boolean {
  const [x, y] = [boundsOf(a, b.receivedAt), boundsOf(b, b.receivedAt)];
  return Math.max(x.low - y.high, y.low - x.high) > MAX_DISAGREEMENT_MS;
}

/** Intersects neighbours for as long as they agree. */
function consistentGroups(bounds: readonly ClockBounds[]): ClockBounds[] {
  const groups: ClockBounds[] = [];
  for (const { low, high } of bounds) {
    const group = groups.at(-1);
    if (group === undefined || low > group.high || high < group.low) groups.push({ low, high });
    else Object.assign(group, { low: Math.max(group.low, low), high: Math.min(group.high, high) });
  }
  return groups;
}
