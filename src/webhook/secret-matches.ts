import type { Knex } from 'knex';
import type { Logger } from '../log.js';
import { type SecretMatches, saveSecretMatches } from '../records/secrets.js';
import { logSeldom } from './log-seldom.js';
import type { SigningSecret } from './match-signature.js';
import { fingerprintOf } from './rotation.js';

export interface SecretMatchLog {
  /** Counts one stored event under the label of one of these secrets; never waits. */
  add(label: string, secrets: readonly SigningSecret[]): void;
  close(): Promise<void>;
}

const FLUSH_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Which secret matched when. The first match after a pause is written at once, then what came within a second together:
 * one row per secret, locked by each batch of events, would make the batches of all receivers wait for each other.
 * (The exact evidence, each arrival of each event, is in inbox_arrivals, in the transaction of the event.)
 */
export function createSecretMatchLog({ db, log, now }: { db: Knex; log: Logger; now: () => Date }): SecretMatchLog {
  const pending = new Map<string, SecretMatches>();
  const failed = logSeldom(log, 'matches of secrets could not be written, they stay in memory');
  const fingerprints = new Map<string, string>();
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  function merge(match: SecretMatches): void {
    const key = `${match.label} ${match.hour.getTime()} ${match.fingerprint}`;
    const known = pending.get(key);
    if (!known) {
      pending.set(key, { ...match });
      return;
    }
    known.count += match.count;
    if (match.firstAt < known.firstAt) known.firstAt = match.firstAt;
    if (match.lastAt > known.lastAt) known.lastAt = match.lastAt;
  }

  async function write(): Promise<void> {
    if (pending.size === 0) return;
    const matches = [...pending.values()];
    pending.clear();
    try {
      await saveSecretMatches(db, matches);
    } catch (error) {
      failed(error);
      matches.forEach(merge);
      soon();
    }
  }

  function soon(): void {
    if (timer !== null) return;
    // At once, and again a second later, for as long as there is something to write.
    timer = setTimeout(() => {
      timer = null;
      if (pending.size > 0) soon();
    }, FLUSH_MS).unref();
    setImmediate(() => {
      writing = writing.then(write);
    });
  }

  function fingerprint({ label, secret }: SigningSecret): string {
    const key = `${label} ${secret}`;
    const known = fingerprints.get(key) ?? fingerprintOf(secret);
    fingerprints.set(key, known);
    return known;
  }

  return {
    add(label, secrets) {
      const secret = secrets.find((known) => known.label === label);
      // Taken away while its event was being stored: inbox_arrivals knows.
      if (!secret) return;
      const at = now();
      const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
      merge({ label: secret.label, fingerprint: fingerprint(secret), hour, count: 1, firstAt: at, lastAt: at });
      soon();
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
