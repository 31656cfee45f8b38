import { createClock, type SandboxClock } from './base/clock.js';
import { createIdCodec, type IdCodec } from './base/ids.js';
import { createDraw } from './base/random.js';
import { type Faults, NO_FAULTS } from './faults.js';
import type { Intent } from './payments/intent.js';
import { createIntentStore, type History, type IntentStore } from './payments/intent-store.js';
import type { SandboxSettings } from './settings.js';

/** What all merchants share. */
export interface Service {
  settings: SandboxSettings;
  clock: SandboxClock;
  faults: Faults;
  /** Known once the server listens. */
  baseUrl: string;
}

/** One merchant's books. A key sees those of its own merchant only. */
export interface Merchant {
  service: Service;
  seed: number;
  intents: IntentStore;
  payinIds: IdCodec;
  payoutIds: IdCodec;
  payouts: number;
  /** Idempotency keys of direct creations and the intent each made. */
  directKeys: Map<string, string>;
  inactiveAssets: Set<string>;
  /** Tells the webhook side that something happened to an intent. */
  emit: (eventType: string, intent: Intent) => void;
}

export function createService(settings: SandboxSettings): Service {
  return { settings, clock: createClock(settings.realNow), faults: NO_FAULTS, baseUrl: '' };
}

/** `history` may be made with the same codecs: see `merchantIds`. */
export function createMerchant(service: Service, seed: number, history: History): Merchant {
  const ids = merchantIds(seed);
  return {
    service,
    seed,
    intents: createIntentStore({ ids: ids.intents, history }),
    payinIds: ids.payins,
    payoutIds: ids.payouts,
    payouts: 0,
    directKeys: new Map(),
    inactiveAssets: new Set(),
    emit: () => undefined,
  };
}

export function merchantIds(seed: number): { intents: IdCodec; payins: IdCodec; payouts: IdCodec } {
  return {
    intents: createIdCodec(seed, 'pi'),
    payins: createIdCodec(seed, 'payin'),
    payouts: createIdCodec(seed, 'po'),
  };
}

/** A chance of the faults, drawn for the n-th thing of its stream. */
export function strikes(merchant: Merchant, chance: number, stream: string, n: number): boolean {
  return chance > 0 && createDraw(merchant.seed, stream)(n) < chance;
}
