import type { Config } from '../../config.js';
import type { ServiceClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import type { Runtime } from '../runtime.js';

/** `unknown`: it is not known, and why; neither good nor bad. */
export interface Check {
  name: string;
  status: 'ok' | 'finding' | 'unknown';
  found: string;
  /** What to do; null where nothing is to be done. Of what is `ok` it is advice. */
  remedy: string | null;
  /** What comes of it, in words; left out: nothing. */
  follows?: readonly string[];
  /** The cause that it follows from, which is a finding of its own; left out: none. */
  because?: string;
}

export interface DoctorParts extends Pick<Runtime, 'db' | 'now' | 'queues' | 'ready' | 'signal' | 'contract'> {
  config: Config;
  client: ServiceClient;
  /** A client that takes the service to use other names. */
  clientFor: (contract: Contract) => Promise<ServiceClient>;
}

const check =
  (status: Check['status']) =>
  (name: string, found: string, remedy: string | null = null): Check => ({ name, status, found, remedy });

export const ok: (name: string, found: string) => Check = check('ok');
export const hint: (name: string, found: string, remedy: string) => Check = check('ok');
export const finding: (name: string, found: string, remedy: string) => Check = check('finding');
export const unknown = check('unknown');
