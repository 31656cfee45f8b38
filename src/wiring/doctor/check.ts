import type { Config } from '../../config.js';
import type { DoctorLine } from '../../console/page.js';
import type { ServiceClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import type { Runtime } from '../runtime.js';

/** What is probed, as the page Doctor and the command show it. */
export type Check = DoctorLine;

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
