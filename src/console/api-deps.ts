import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import type { SecretStatus } from '../domain/views/webhook-shapes.js';
import type { ClosingDeps } from '../finance/periods/close-period.js';

/** What the console can't do by a record; wiring puts it on the `commands` queue. */
interface Commands {
  replay(eventIds: string[]): Promise<void>;
  run(request: { kind: string; full: boolean }): Promise<void>;
  /**
   * Has the delivery history read, back to `since` (ISO 8601) or as far as is due, and missed events recovered; those of
   * `ids`, and with `until` those made between the two, at once.
   */
  recover(request: { since: string | null; until?: string; ids?: string[] }): Promise<void>;
}

/** What closing a month needs besides the database. */
interface BooksSettings extends Pick<ClosingDeps, 'timeZone' | 'currency' | 'table'> {
  chart: () => Promise<ClosingDeps['chart']>;
  /** SETTLEMENT_DAYS */
  settlementDays: number;
}

export interface ApiDeps extends ReleaseRules {
  db: Knex;
  log: Logger;
  commands: Commands;
  runKinds: readonly string[];
  secretsStatus: () => Promise<{ items: SecretStatus[] }>;
  books: BooksSettings;
  /** FOUR_EYES: what finance does waits for another person’s approval. */
  fourEyes: boolean;
  /** So long a request waits for what it has read; left out: 8 s. */
  proofWaitMs?: number;
}
