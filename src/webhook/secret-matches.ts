import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { type SecretMatches, saveSecretMatches } from '../records/deliveries/secrets.js';
import { countBehind } from './count-behind.js';
import { logSeldom } from './log-seldom.js';
import { fingerprintOf, type SigningSecret } from './verify-signature.js';

export interface SecretMatchLog {
  /** Counts one stored event under the label of one of these secrets; never waits. */
  add(label: string, secrets: readonly SigningSecret[]): void;
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;

/**
 * Which secret matched when, written once a second: one row per secret, locked by each batch of events, would make the
 * batches of all receivers wait for each other. (The exact evidence, each arrival of each event, is in inbox_arrivals, in
 * the transaction of the event.)
 */
export function createSecretMatchLog({ db, log, now }: { db: Knex; log: Logger; now: () => Date }): SecretMatchLog {
  const fingerprints = createFingerprints();
  const matches = countBehind<SecretMatches>({
    keyOf: ({ label, hour, fingerprint }) => `${label} ${hour.getTime()} ${fingerprint}`,
    merge: (known, more) => {
      known.count += more.count;
      if (more.firstAt < known.firstAt) known.firstAt = more.firstAt;
      if (more.lastAt > known.lastAt) known.lastAt = more.lastAt;
    },
    save: (counted) => saveSecretMatches(db, counted),
    failed: logSeldom(log, 'secret matches not saved'),
  });

  return {
    add(label, secrets) {
      const secret = secrets.find((known) => known.label === label);
      // Taken away while its event was being stored: inbox_arrivals knows.
      if (!secret) return;
      const at = now();
      const hour = new Date(at.getTime() - (at.getTime() % HOUR_MS));
      matches.add({ label, fingerprint: fingerprints(secret.secret), hour, count: 1, firstAt: at, lastAt: at });
    },
    close: () => matches.close(),
  };
}

/** Of each secret once: an event comes for every request. */
function createFingerprints(): (secret: string) => string {
  const known = new Map<string, string>();
  return (secret) => {
    const fingerprint = known.get(secret) ?? fingerprintOf(secret);
    known.set(secret, fingerprint);
    return fingerprint;
  };
}
