import { expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { createState, statusNow } from '../../src/console/status.js';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import { createLog } from '../../src/log.js';
import { recordHeartbeats } from '../../src/notify/record-heartbeats.js';
import { loadAlertFacts } from '../../src/records/alerts/load-alert-facts.js';
import { registerOrder, withdrawRegistration } from '../../src/records/orders/orders.js';
import { checkRegistration } from '../../src/wiring/doctor/check-installation.js';
import { sharedSettings } from '../../src/wiring/reconcile-settings.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

async function checked(given: string): Promise<(string | null)[]> {
  const config = loadConfig([], { env: { RELEASE_REQUIRES_REGISTRATION: given } });
  const checks = await checkRegistration({ db: database.db, config: { ...config, SERVICE_API_KEY: 'k' } });
  return checks.flatMap(({ status, remedy }) => [status, remedy]);
}

it('advises to demand what the store does anyway, and only then', async () => {
  expect(await checked('off')).toEqual(['ok', null]);
  await database.db.transaction((trx) => registerOrder(trx, { reference: 'a', amount: '1', currency: 'EUR' }));
  expect(await checked('off')).toEqual(['ok', expect.stringContaining('RELEASE_REQUIRES_REGISTRATION=on')]);
  expect(await checked('on')).toEqual(['ok', null]);
  await database.db.transaction((trx) => withdrawRegistration(trx, 'a'));
  expect(await checked('off')).toEqual(['ok', null]);
});

/** A process of these roles that was started with it, for a moment. */
async function works(roles: string[], given: string): Promise<void> {
  const stop = new AbortController();
  const settings = sharedSettings(loadConfig([], { env: { RELEASE_REQUIRES_REGISTRATION: given } }));
  const signs = recordHeartbeats(
    { db: database.db, log: createLog('silent') },
    { parts: [], roles, settings },
    stop.signal,
  );
  const known = () =>
    database
      .db('setting_signs')
      .whereIn('part', roles)
      .where({ setting: 'RELEASE_REQUIRES_REGISTRATION', value: given });
  await vi.waitFor(async () => expect(await known()).toHaveLength(roles.length));
  stop.abort();
  await signs;
}

it('says who has another value than others, until all that are at work have the same', async () => {
  const findings = async () => {
    const log = createLog('silent');
    const now = () => new Date();
    const state = createState({
      db: database.db,
      log,
      now,
      runKinds: [],
      runEverySeconds: {},
      secretsStatus: async () => ({ items: [] }),
    });
    const status = await statusNow(state);
    const alerts = findAlerts(await loadAlertFacts(database.db, { now: now(), runEverySeconds: {} }));
    return [
      ...alerts.filter(({ name }) => name === 'TallyhookSettingsDiffer').map(({ detail }) => detail),
      ...status.items.map(({ text }) => text).filter((text) => text.includes('different settings')),
    ];
  };
  await works(['worker', 'scheduler'], 'on');
  expect(await checked('on')).toEqual(['ok', null]);
  expect(await findings()).toEqual([]);
  // A command that has another one than the roles derives orders, too.
  expect(await checked('off')).toEqual(['finding', expect.stringContaining('alike')]);
  await works(['console'], 'off');
  expect(await checked('on')).toEqual(['finding', expect.stringContaining('alike')]);
  const values = 'off at console; on at scheduler, worker';
  expect(await findings()).toEqual([
    `RELEASE_REQUIRES_REGISTRATION: ${values}.`,
    'Roles work with different settings: RELEASE_REQUIRES_REGISTRATION',
  ]);

  await database
    .db('setting_signs')
    .where({ value: 'off' })
    .update({ seen_at: new Date(Date.now() - 61_000) });
  expect(await checked('on')).toEqual(['ok', null]);
  expect(await findings()).toEqual([]);
});
