import { setTimeout as delay } from 'node:timers/promises';
import { withoutLogin } from '../config.js';
import { AppError, ConfigError } from '../errors.js';
import { bindInstallation } from '../records/installation.js';
import type { Runtime } from './runtime.js';

/** The database or its schemas did not appear in time. */
class NotReadyError extends AppError {
  readonly code = 'not_ready';
  override readonly retryable = true;
}

const POLL_MS = 500;
const WAIT_MS = 60_000;

type Adoption = Pick<Runtime, 'db' | 'log' | 'now' | 'ready' | 'signal'> & {
  config: Pick<Runtime['config'], 'ADOPTED_AT' | 'SERVICE_BASE_URL'>;
};

/** Returns the adoption date. Throws a ConfigError for another service's database, NotReadyError after a minute. */
export async function adopt(adoption: Adoption): Promise<Date> {
  const { db, config, now, log } = adoption;
  await waitUntilReady(adoption);
  const configured = { adoptedAt: config.ADOPTED_AT ?? now(), serviceBaseUrl: config.SERVICE_BASE_URL };
  const bound = await bindInstallation(db, configured);
  if (bound.serviceBaseUrl !== config.SERVICE_BASE_URL) {
    throw new ConfigError(
      [
        'SERVICE_BASE_URL',
        `    given "${withoutLogin(config.SERVICE_BASE_URL)}", but this database holds the records of "${withoutLogin(bound.serviceBaseUrl)}".`,
        '    Accepted is that address again, or another database (DATABASE_URL) for the other service.',
      ].join('\n'),
    );
  }
  if (config.ADOPTED_AT && config.ADOPTED_AT.getTime() !== bound.adoptedAt.getTime())
    log.warn({ adoptedAt: bound.adoptedAt }, 'ADOPTED_AT ignored');
  return bound.adoptedAt;
}

async function waitUntilReady({ ready, log, signal }: Adoption): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  let isSaid = false;
  for (;;) {
    const { ok, problems, about, lasting = false } = await ready();
    if (ok) return;
    if (lasting) throw new NotReadyError(problems.join('; '));
    const run = about === 'schema' ? 'tallyhook migrate' : undefined;
    if (Date.now() > deadline)
      throw new NotReadyError(`Not ready after a minute: ${problems.join('; ')}${run ? ` (run: ${run})` : ''}`);
    if (!isSaid) log.warn({ problems, run }, 'waiting for database');
    isSaid = true;
    await delay(POLL_MS, undefined, { signal });
  }
}
