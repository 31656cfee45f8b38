import type { Knex } from 'knex';
import type { ObservationSource } from '../domain/observation.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import type { RunKind } from '../domain/run-kinds.js';
import type { Run } from '../domain/views/proof-shapes.js';
import type { Logger } from '../log.js';
import type { Wanted } from '../records/deliveries/list-deliveries.js';
import type { RunTally } from '../records/runs/runs.js';
import type { Watermark } from '../records/runs/watermarks.js';
import type { Contract } from '../service-api/contract.js';
import type { ServiceReader } from './service-reader.js';
import type { CallShare } from './take-turns.js';
import type { Fence } from './write-fenced.js';

export { runKinds as kinds } from '../domain/run-kinds.js';
export type Kind = RunKind;

/** What of the configuration the reconcilers go by. */
export interface ReconcileSettings {
  /** A delivery that failed, or is not here, is missed once it is so old. */
  missedGraceMs: number;
  /** Where payouts can't be listed: one that nothing has shown anything of for so long is a break. */
  payoutGraceMs: number;
  /** WEBHOOK_PUBLIC_URL, WEBHOOK_PATH: which endpoint is ours. */
  publicUrl: string | null;
  webhookPath: string;
  /** EVENT_ID_POINTER: the key that an event of the delivery history has. */
  eventIdPointer: string;
}

export interface ReconcileDeps extends ReleaseRules {
  db: Knex;
  /** For the connection of its own that holds the lock. */
  databaseUrl: string;
  log: Logger;
  now: () => Date;
  client: ServiceReader;
  /** What of the calls may be made for what webhooks ask for; left out: all that are left. */
  share?: CallShare;
  contract: Contract;
  settings: ReconcileSettings;
  adoptedAt: Date;
  metrics?: { reconcileLastSuccess: { set(labels: { kind: string }, value: number): void } };
}

export interface PollOptions {
  /** Also reads the whole list again, whatever is due. */
  full: boolean;
  /** Also reads again what was created since; ms. */
  since: number | null;
  /** Goes on with a full scan that an earlier run left unfinished, instead of starting it over. */
  resume: boolean;
  /** So many pages of what is long at most; null: to the end. What is new and what is open is always read. */
  pages: number | null;
  /** Payins are left to the loop that polls what events report. */
  withoutPayins?: boolean;
  /** Of deliveries: which a person wants here now, grace or not. */
  wanted?: Wanted | undefined;
}

/** How far a run is. `oldest`: the oldest creation time read, ms. `total`: of what there is to see, where that is known. */
export interface Progress {
  seen: number;
  calls: number;
  oldest: number | null;
  total: number | null;
}

/** What a reconciler is handed: everything it reads is counted in `tally`, everything it writes goes through `fence`. */
export interface RunContext {
  deps: ReconcileDeps;
  source: ObservationSource;
  tally: RunTally;
  fence: Fence;
  options: PollOptions;
  signal?: AbortSignal | undefined;
  /** Call it after each answer of the service. */
  progress: (at: Progress) => void;
  /** One ordinary run of another kind, with a lock and a row of its own, before this one goes on. Left out of a dry run. */
  prerequisite?: (kind: Kind) => Promise<Pick<Run, 'status' | 'complete' | 'proof' | 'error'>>;
}

/**
 * What a run has proven. `complete`: everything that the kind sets out to read was proven to be read; where it is false
 * `proof.reason` says why, in words for people, beginning with `degraded: ` where the service does not offer the poll.
 */
export interface Outcome {
  complete: boolean;
  proof: Record<string, unknown>;
  /** To be written if the outcome is complete. */
  watermarks: Map<string, Watermark>;
  /** When what was last read, whatever else is unproven: it says what is due next, and proves nothing. Always written. */
  due?: Map<string, Watermark>;
}

/** Complete where nothing keeps it from that; `reasons` in words for people. */
export function outcomeOf(
  reasons: readonly string[],
  proof: Outcome['proof'],
  { watermarks = new Map(), due }: Partial<Pick<Outcome, 'watermarks' | 'due'>> = {},
): Outcome {
  const reason = reasons.length === 0 ? {} : { reason: reasons.join('; ') };
  return { complete: reasons.length === 0, proof: { ...reason, ...proof }, watermarks, ...(due && { due }) };
}

/** Throws what stops the whole run (no key, no service), never for what is wrong with one record alone. */
export type Reconciler = (run: RunContext) => Promise<Outcome>;
