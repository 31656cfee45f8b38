import { setTimeout as delay } from 'node:timers/promises';
import type { ReadApi } from './read-api.js';

/** What an order's release became, and when; by the feed of changes, so that no moment is missed. */
export interface ReleaseChange {
  seq: string;
  reference: string;
  safe: boolean;
  reason: string;
  /** When its transaction began, or later: no earlier than the change before. Milliseconds of our clock. */
  at: number;
  /** When it was in the feed: it happened in between. */
  seen: number;
  /** By what: `webhook 17`, `poll 4`. */
  source: string;
}

export interface ReleaseFeed {
  /** Of one order, oldest first. */
  of(reference: string): ReleaseChange[];
  /** Everything that was committed before this call has been read. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

interface Change {
  seq: string;
  entity: { kind: string; id: string };
  field: string;
  to: unknown;
  source: { type: string; ref: string };
  changedAt: string;
}

const EVERY_MS = 150;

/** Follows `GET /api/v1/changes` to its end, again and again. */
export function followReleases(api: ReadApi): ReleaseFeed {
  const found = new Map<string, ReleaseChange[]>();
  const stop = new AbortController();
  let after = '0';
  let failure: unknown = null;
  let reading: Promise<void> = Promise.resolve();

  const readOn = async (): Promise<void> => {
    for (;;) {
      const page = await api.get<{ items: Change[] }>(`changes?after=${after}&take=500`);
      const items = page?.items ?? [];
      for (const change of items) note(found, change);
      after = items.at(-1)?.seq ?? after;
      if (items.length === 0) return;
    }
  };
  /** One reader at a time: whoever asks meanwhile gets a reading that begins after that. */
  const readInTurn = (): Promise<void> => {
    reading = reading.then(readOn, readOn);
    return reading;
  };
  const following = (async () => {
    while (!stop.signal.aborted) {
      await readInTurn().catch((error: unknown) => {
        failure = error;
      });
      await delay(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();

  return {
    of: (reference) => found.get(reference) ?? [],
    catchUp: readInTurn,
    async close() {
      stop.abort();
      await following;
      if (failure !== null) throw new Error('the feed could not be read', { cause: failure });
    },
  };
}

function note(found: Map<string, ReleaseChange[]>, change: Change): void {
  const { seq, entity, source, changedAt } = change;
  const release = entity.kind === 'order' ? releaseIn(change) : null;
  if (release === null) return;
  const known = found.get(entity.id) ?? [];
  const at = Math.max(Date.parse(changedAt), known.at(-1)?.at ?? 0);
  const by = `${source.type} ${source.ref}`;
  known.push({ seq, reference: entity.id, ...release, at, seen: Date.now(), source: by });
  found.set(entity.id, known);
}

/** Of the change that brought the order into being, or of one of its release. */
function releaseIn({ field, to }: Change): { safe: boolean; reason: string } | null {
  const whole = field === '*' ? (to as { release?: unknown } | null)?.release : undefined;
  const release = (field === 'release' ? to : whole) as { safe?: boolean; reason?: string } | null | undefined;
  return release ? { safe: release.safe === true, reason: String(release.reason) } : null;
}
