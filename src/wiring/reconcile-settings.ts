import type { Config } from '../config.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import type { ReconcileDeps } from '../reconcile/deps.js';
import type { SharedSettings } from '../records/alerts/process-settings.js';
import { type RetentionDays } from '../records/retention/delete-rows.js';
import type { CountSettings } from '../records/scorecard/scorecard.js';
import { type ServiceClient } from '../service-api/client.js';
import type { Contract } from '../service-api/contract.js';
import type { Runtime } from './runtime.js';

/** Where the id of an event stands: what `auto` means is the contract's to say. */
export function eventIdPointerOf({ EVENT_ID_POINTER }: Config, { events }: Contract): string {
  return EVENT_ID_POINTER === 'auto' ? events.idPlaces.join(' ') || 'none' : EVENT_ID_POINTER;
}

export function reconcileDeps(runtime: Runtime, client: ServiceClient, adoptedAt: Date): ReconcileDeps {
  const { config, contract, db, databaseUrl, log, now, metrics } = runtime;
  const settings = {
    missedGraceMs: config.MISSED_GRACE_SECONDS * 1_000,
    payoutGraceMs: config.PAYOUT_GRACE_SECONDS * 1_000,
    publicUrl: config.WEBHOOK_PUBLIC_URL ?? null,
    webhookPath: config.WEBHOOK_PATH,
    eventIdPointer: eventIdPointerOf(config, contract),
  };
  const rules = releaseRules(config, contract);
  return { db, databaseUrl, log, now, metrics, client, contract, settings, adoptedAt, ...rules };
}

/** What each role that derives orders holds their release to. */
export function releaseRules(config: Pick<Config, 'RELEASE_REQUIRES_REGISTRATION'>, contract: Contract): ReleaseRules {
  return {
    kytWords: contract.kyt,
    requiresRegistration: config.RELEASE_REQUIRES_REGISTRATION,
    payoutWords: contract.movements.words.payoutType,
  };
}

export function retentionDays(config: Config): RetentionDays {
  return {
    body: config.RETENTION_BODY_DAYS,
    keys: config.RETENTION_KEY_DAYS,
    personal: config.RETENTION_PERSONAL_DAYS,
  };
}

/** What must be alike at every role: where two differ, it hangs on which of them decides an order, or is asked by a person. */
export function sharedSettings(config: Pick<Config, 'RELEASE_REQUIRES_REGISTRATION' | 'FOUR_EYES'>): SharedSettings {
  const { RELEASE_REQUIRES_REGISTRATION: required, FOUR_EYES: fourEyes } = config;
  return { RELEASE_REQUIRES_REGISTRATION: required ? 'on' : 'off', FOUR_EYES: fourEyes ? 'on' : 'off' };
}

export function countSettings(config: Config): CountSettings {
  return {
    timeZone: config.BOOKS_TIMEZONE,
    graceMs: config.MISSED_GRACE_SECONDS * 1_000,
    keyDays: config.RETENTION_KEY_DAYS,
  };
}
