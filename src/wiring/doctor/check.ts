import type { Knex } from 'knex';
import type { Config } from '../../config.js';
import type { DatabaseState } from '../../records/database.js';
import type { MerchantClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import type { QueueSettings } from '../../webhook/queue-backend.js';

/** `unknown`: it is not known, and why; neither good nor bad. */
export interface Check {
  name: string;
  status: 'ok' | 'finding' | 'unknown';
  found: string;
  /** What to do; null where nothing is to be done. Of what is `ok` it is advice. */
  remedy: string | null;
}

export interface DoctorParts {
  db: Knex;
  config: Config;
  now: () => Date;
  client: MerchantClient;
  queues: QueueSettings;
  ready: () => Promise<DatabaseState>;
  signal: AbortSignal;
  /** The names that the service is taken to use. */
  contract: Contract;
  /** A client that takes it to use other names. */
  clientFor: (contract: Contract) => Promise<MerchantClient>;
}

const check =
  (status: Check['status']) =>
  (name: string, found: string, remedy: string | null = null): Check => ({ name, status, found, remedy });

export const ok: (name: string, found: string) => Check = check('ok');
export const hint: (name: string, found: string, remedy: string) => Check = check('ok');
export const finding: (name: string, found: string, remedy: string) => Check = check('finding');
export const unknown = check('unknown');
