import { statSync } from 'node:fs';
import type { Logger } from '../log.js';
import { logSeldom } from './log-seldom.js';
import type { SigningSecret } from './verify-signature.js';

/** The secrets that are accepted now. */
export interface SecretSource {
  current(): readonly SigningSecret[];
  close(): void;
}

const FILE_POLL_MS = 2_000;
const RETIRED_POLL_MS = 4_000;

/** Secrets that stay as they are for the life of the process. */
export function staticSecrets(secrets: readonly SigningSecret[]): SecretSource {
  return { current: () => secrets, close: () => {} };
}

/**
 * Secrets of a file that is read again within seconds of a change, and on SIGHUP. While the file is missing or wrong the
 * secrets of before stay in force. `read` throws on a file that is not as it should be; the first time that is passed on.
 */
export function fileSecrets(
  file: string,
  { read, log, pollMs = FILE_POLL_MS }: { read: (file: string) => SigningSecret[]; log: Logger; pollMs?: number },
): SecretSource {
  let stamp = stampOf(file);
  let secrets = read(file);

  const reload = () => {
    try {
      const next = read(file);
      const labels = next.map(({ label }) => label);
      if (JSON.stringify(next) !== JSON.stringify(secrets)) log.info({ labels }, 'webhook secrets reloaded');
      secrets = next;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error({ reason }, 'webhook secrets not reloaded');
    }
  };
  // Read by turns, not watched: watches miss files that are replaced, mounted or linked.
  const timer = setInterval(() => {
    const now = stampOf(file);
    if (now === stamp) return;
    stamp = now;
    reload();
  }, pollMs).unref();
  process.on('SIGHUP', reload);

  return {
    current: () => secrets,
    close: () => {
      clearInterval(timer);
      process.off('SIGHUP', reload);
    },
  };
}

/**
 * Leaves out the secrets whose label is `retired` in the database, at most a few seconds after that happened. While the
 * database can't be asked the last answer holds. Closes `source` with itself.
 */
export async function withoutRetired(
  source: SecretSource,
  { retired: ask, log, pollMs = RETIRED_POLL_MS }: { retired: () => Promise<string[]>; log: Logger; pollMs?: number },
): Promise<SecretSource> {
  const failed = logSeldom(log, 'retired secrets not read');
  let retired: ReadonlySet<string> = new Set();
  let all: readonly SigningSecret[] | null = null;
  let accepted: readonly SigningSecret[] = [];
  let asking = false;

  const askAgain = async () => {
    if (asking) return;
    asking = true;
    try {
      retired = new Set(await ask());
      all = null;
    } catch (error) {
      failed(error);
    } finally {
      asking = false;
    }
  };
  await askAgain();
  const timer = setInterval(() => void askAgain(), pollMs).unref();

  return {
    current() {
      const configured = source.current();
      if (configured !== all) accepted = configured.filter(({ label }) => !retired.has(label));
      all = configured;
      return accepted;
    },
    close() {
      clearInterval(timer);
      source.close();
    },
  };
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : '';
}
