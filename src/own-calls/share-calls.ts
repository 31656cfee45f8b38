import type { ReleaseRules } from '../domain/orders/order-facts.js';
import { ConfigError } from '../errors.js';
import { findInstallation } from '../records/installation.js';
import { areDerived } from '../records/orders/rederive-releases.js';
import { createServiceRate } from '../records/service-rate.js';
import type { Contract } from '../service-api/contract.js';
import type { KeyStore } from '../service-api/key-store.js';
import { checkedBaseUrl } from '../service-api/service-calls.js';
import type { Answered } from '../service-api/service-writes.js';
import { createCallStore } from './call-store.js';
import { observeAnswers } from './observe-answers.js';
import { openReady } from './open-ready.js';

export interface SharedCalls {
  keyStore: KeyStore;
  takeSlot: (signal: AbortSignal, operation: string) => Promise<void>;
  observe: (answered: Answered) => Promise<void>;
  close: () => Promise<void>;
}

export interface SharedCallsOptions {
  databaseUrl: string;
  baseUrl: string;
  contract: Contract;
  perSecond: number;
}

/**
 * What the calls of a store's process share with Tallyhook: keys, the rate, the records. Rejects with a ConfigError where the
 * database holds the records of another service, and as openReady does.
 */
export async function shareCalls({
  databaseUrl,
  baseUrl,
  contract,
  perSecond,
}: SharedCallsOptions): Promise<SharedCalls> {
  const db = await openReady({ databaseUrl }, 'tallyhook client');
  const installation = await findInstallation(db);
  if (installation !== null && installation.serviceBaseUrl !== checkedBaseUrl(baseUrl)) {
    await db.destroy();
    throw new ConfigError(
      'baseUrl: the database of databaseUrl holds the records of another service; accepted is its address, SERVICE_BASE_URL',
    );
  }
  /** By whichever rules this installation derives releases. None that is known: orders are left to its own processes. */
  async function rules(): Promise<ReleaseRules | null> {
    const words = { kytWords: contract.kyt, payoutWords: contract.movements.words.payoutType };
    for (const requiresRegistration of [true, false])
      if (await areDerived(db, { ...words, requiresRegistration })) return { ...words, requiresRegistration };
    return null;
  }
  return {
    keyStore: createCallStore(db),
    takeSlot: createServiceRate(db, { perSecond }),
    observe: async (answered) => {
      const [bound, held] = await Promise.all([findInstallation(db), rules()]);
      // The leading scheduler then takes in what the call made, by its key.
      if (bound === null || held === null) return;
      const { adoptedAt } = bound;
      await observeAnswers({ db, now: () => new Date(), adoptedAt, ...held, links: contract.links })(answered);
    },
    close: () => db.destroy(),
  };
}
