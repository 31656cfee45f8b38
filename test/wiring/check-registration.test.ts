import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { registerOrder, withdrawRegistration } from '../../src/records/orders/orders.js';
import { checkRegistration } from '../../src/wiring/doctor/check-registration.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

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
