import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { isPassing } from '../../src/records/database/database-errors.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { createTestDatabase } from '../support/database.js';
import { report } from '../support/observations.js';
import { paidIntent, payin } from '../support/records.js';
import { context, save } from '../support/saved.js';

const ROUNDS = 6;
const EACH = 80;

/** What an event says of a new payment and its payin. */
function paid(round: number) {
  return Array.from({ length: EACH }, (_, n) => `${round}_${n}`).flatMap((name) => {
    const [id, payinId] = [`pi_${name}`, `pa_${name}`];
    const fields = paidIntent(id, payinId, { merchantReference: `order-${name}` });
    return [
      report('payment_intent', id, fields, round),
      report('payin', payinId, payin(payinId, id, { paymentIntentId: id }), round),
    ];
  });
}

test('tables that grew since they were last analyzed are not read whole for the records of one page', async () => {
  const database = await createTestDatabase();
  try {
    await database.db.raw(
      `DO $$ DECLARE name text; BEGIN
         FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
           EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = off)', name);
         END LOOP;
       END $$`,
    );
    for (let round = 0; round < ROUNDS; round += 1) await save(database, paid(round));
    const readWhole = await database.db.transaction(async (trx) => {
      await saveObservations(trx, paid(ROUNDS), context);
      return trx('pg_stat_xact_user_tables').where('seq_scan', '>', 0).where('seq_tup_read', '>', 100).pluck('relname');
    });
    expect(readWhole).toEqual([]);
    expect(await database.db('orders').count('* as orders').first()).toEqual({ orders: `${EACH * (ROUNDS + 1)}` });
  } finally {
    await database.drop();
  }
});

test('a saver that stands still gives its locks up', async () => {
  const database = await createTestDatabase();
  const limit = async (db: Knex) => (await db.raw('SHOW idle_in_transaction_session_timeout')).rows[0];
  const seen: unknown[] = [];
  try {
    const still = database.db.transaction(async (trx) => {
      await saveObservations(trx, paid(0), context);
      seen.push(await limit(trx));
      // What the server does then, sooner here: another saver of the same waits for its locks.
      await trx.raw("SET LOCAL idle_in_transaction_session_timeout = '200ms'");
      await save(database, paid(0));
      await trx.raw('SELECT 1');
    });
    await expect(still).rejects.toSatisfy(isPassing);
    expect(seen).toEqual([{ idle_in_transaction_session_timeout: '1min' }]);
    expect(await database.db('orders').count('* as orders').first()).toEqual({ orders: `${EACH}` });
    expect(await limit(database.db)).toEqual({ idle_in_transaction_session_timeout: '0' });
  } finally {
    await database.drop();
  }
});
