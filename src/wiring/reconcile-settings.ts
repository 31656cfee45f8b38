import type { Config } from '../config.js';
import type { ReconcileSettings } from '../reconcile/deps.js';
import type { RetentionDays } from '../records/retention/retention-task.js';

export function reconcileSettings(config: Config): ReconcileSettings {
  return {
    missedGraceMs: config.MISSED_GRACE_SECONDS * 1_000,
    payoutGraceMs: config.PAYOUT_GRACE_SECONDS * 1_000,
    publicUrl: config.WEBHOOK_PUBLIC_URL ?? null,
    webhookPath: config.WEBHOOK_PATH,
    eventIdPointer: config.EVENT_ID_POINTER,
  };
}

export function retentionDays(config: Config): RetentionDays {
  return {
    body: config.RETENTION_BODY_DAYS,
    keys: config.RETENTION_KEY_DAYS,
    personal: config.RETENTION_PERSONAL_DAYS,
  };
}
