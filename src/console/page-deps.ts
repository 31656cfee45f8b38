import type { ApiDeps } from './api.js';

/** What pages and actions need besides what the read API needs. */
export interface PageDeps extends ApiDeps {
  now: () => Date;
  /** SERVICE_BASE_URL. */
  serviceBaseUrl: string;
  /** How far apart the runs of each kind are; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
}
