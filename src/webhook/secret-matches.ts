import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { type SecretMatches, saveSecretMatches } from '../records/deliveries/secrets.js';
import { createWriteBehind } from './batcher.js';
import { logSeldom } from './log-seldom.js';
import { fingerprintOf, type SigningSecret } from './match-signature.js';

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
  const pending = new Map<string, SecretMatches>();
  const fingerprints = createFingerprints();
  const failed = logSeldom(log, 'secret matches not saved');
  const behind = createWriteBehind(async () => {
    const matches = [...pending.values()];
    if (matches.length === 0) return true;
    pending.clear();
    try {
      await saveSecretMatches(db, matches);
      return true;
    } catch (error) {
      failed(error);
      for (const match of matches) merge(pending, match);
      return false;
    }
  });

  return {
    add(label, secrets) {
      const secret = secrets.find((known) => known.label === label);
      // Taken away while its event was being stored: inbox_arrivals knows.
      if (!secret) return;
      const at = now();
      const hour = new Date(at.getTime() - (at.getTime() % HOUR_MS));
      merge(pending, { label, fingerprint: fingerprints(secret.secret), hour, count: 1, firstAt: at, lastAt: at });
      behind.touch();
    },
    close: () => behind.close(),
  };
}

function merge(pending: Map<string, SecretMatches>, match: SecretMatches): void {
  const key = `${match.label} ${match.hour.getTime()} ${match.fingerprint}`;
  const known = pending.get(key);
  if (!known) {
    pending.set(key, match);
    return;
  }
  known.count += match.count;
  if (match.firstAt < known.firstAt) known.firstAt = match.firstAt;
  if (match.lastAt > known.lastAt) known.lastAt = match.lastAt;
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
