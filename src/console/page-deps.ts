import type { ApiDeps } from './api-deps.js';

/** What pages and actions need besides what the read API needs. */
export interface PageDeps extends ApiDeps {
  now: () => Date;
  /** SERVICE_BASE_URL. */
  serviceBaseUrl: string;
  /** How far apart the runs of each kind are; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
  /** Names of the channels that are configured. */
  alertChannels: readonly string[];
  /** How full each queue is; `state` is null where it could not be asked. */
  queues: () => Promise<QueueReading[]>;
  /** Probes every dependency and assumption; may take minutes, and ends by itself. */
  runDoctor: () => Promise<DoctorLine[]>;
  /** Asks the schedulers to verify all seals in somebody's name. */
  verifySeals: (actor: string) => Promise<void>;
}

export interface QueueReading {
  name: string;
  state: { waiting: number; active: number; delayed: number; failed: number; oldestAt: number | null } | null;
}

/** `unknown`: it is not known, and why; neither good nor bad. */
export interface DoctorLine {
  name: string;
  status: 'ok' | 'finding' | 'unknown';
  found: string;
  /** Null where nothing is to be done. */
  remedy: string | null;
}
