import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { PayoutWords } from '../../src/domain/family/links.js';
import { createLog } from '../../src/log.js';
import { type CrossCheckReport, crossCheck } from '../../src/reconcile/cross-check/cross-check.js';
import { getBreak, listBreaks } from '../../src/records/breaks/list-breaks.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { at } from '../support/observations.js';
import { context } from '../support/saved.js';

export const MINUTE = 60;
export const HOUR = 60 * MINUTE;

/** A database whose records are cross-checked at a time of the test's own. */
export interface CheckedShop {
  database: TestDatabase;
  /** Back to an hour after `at(0)`. */
  reset(): void;
  /** `payoutWords`: as the contract has them; left out: as it is delivered. */
  check(payoutWords?: PayoutWords): Promise<CrossCheckReport>;
  /** Lets so many seconds pass, then checks. */
  later(seconds: number): Promise<CrossCheckReport>;
  /** Kinds of the record's breaks. */
  breaksOf(id: string, status?: string): Promise<string[]>;
  breakOf(id: string, kind: string): ReturnType<typeof getBreak>;
  register(reference: string, amount: string, currency?: string): Promise<unknown>;
  /** Notes a run of payment intents that went through. */
  ran(second: number): Promise<void>;
}

/** One for the tests of a file, at its first moment before each. */
export function useCheckedShop(): CheckedShop {
  const shop = { database: {} } as CheckedShop;
  beforeAll(async () => {
    const { database, ...rest } = await openCheckedShop();
    Object.assign(shop.database, database);
    Object.assign(shop, rest);
  });
  beforeEach(() => shop.reset());
  afterAll(() => shop.database.drop());
  return shop;
}

export async function openCheckedShop(): Promise<CheckedShop> {
  const database = await createTestDatabase();
  let clock = at(HOUR);
  const check = (payoutWords?: PayoutWords) => {
    const { adoptedAt } = context;
    return crossCheck({
      db: database.db,
      log: createLog('silent'),
      now: () => new Date(clock),
      adoptedAt,
      payoutWords,
    });
  };
  return {
    database,
    reset: () => {
      clock = at(HOUR);
    },
    check,
    later: (seconds) => {
      clock += seconds * 1000;
      return check();
    },
    breaksOf: async (id, status = 'open') => {
      const { items } = await listBreaks(database.db, { status, entityId: id });
      return items.map(({ kind }) => kind).sort();
    },
    breakOf: async (id, kind) => {
      const { items } = await listBreaks(database.db, { entityId: id, kind });
      return getBreak(database.db, items[0]?.id ?? '');
    },
    register: (reference, amount, currency = 'EUR') =>
      database.db.transaction((trx) => registerOrder(trx, { reference, amount, currency })),
    ran: async (second) => {
      const startedAt = new Date(at(second));
      const times = { started_at: startedAt, heartbeat_at: startedAt };
      await database.db('runs').insert({ kind: 'payment-intents', full: false, status: 'succeeded', ...times });
    },
  };
}
