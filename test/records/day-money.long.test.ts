import { expect, it } from 'vitest';
import { loadDayMoney } from '../../src/records/books/day-money.js';
import { useDatabase } from '../support/database.js';

const PAYMENTS = 100_000;
const NOW = new Date('2026-03-09T18:30:00Z');
const database = useDatabase();

it('of 100,000 payments within the three days that are compared, only what was saved since is read again', async () => {
  const { db } = database;
  await db.transaction(async (trx) => {
    // As if they had stood here for long: nothing is marked.
    await trx.raw('SET LOCAL session_replication_role = replica');
    const day = `CASE n % 3 WHEN 0 THEN '2026-03-09'::timestamptz WHEN 1 THEN '2026-03-08' ELSE '2026-03-02' END`;
    const at = `${day} + (n::float8 / ${PAYMENTS}) * interval '18 hours 30 minutes'`;
    const many = `FROM generate_series(1, ${PAYMENTS}) AS n`;
    const columns = 'created_at, claims, verified, observed_at, observed_by_type, observed_by_ref, status, shown';
    const values = `${at}, '[]', true, now(), 'poll', '1'`;
    await trx.raw(
      `INSERT INTO payment_intents (id, merchant_reference, ${columns})
       SELECT 'pi' || n, 'o' || n, ${values}, 'completed', '{"pad":"' || repeat('x', 900) || '"}' ${many}`,
    );
    await trx.raw(
      `INSERT INTO payins (id, payment_intent_id, asset_code, ${columns})
       SELECT 'in' || n, 'pi' || n, 'BTC', ${values}, 'confirmed', '{"amountGross":"1.5","pad":"' || repeat('x', 500) || '"}' ${many}`,
    );
    await trx.raw(
      `INSERT INTO orders (reference, status, release_safe, release_reason, payment_intents)
       SELECT 'o' || n, 'paid', n % 10 > 0, 'proven', ARRAY['pi' || n] ${many}`,
    );
  });
  await db.raw('VACUUM ANALYZE');
  const timed = async () => {
    const began = performance.now();
    const { assets } = await loadDayMoney(db, NOW, ['refund']);
    return { ms: Math.round(performance.now() - began), received: assets[0]?.today.received };
  };
  const [first, again] = [await timed(), await timed()];
  await db('payins').where({ id: 'in3' }).update({ status: 'pending' });
  const after = await timed();
  process.stdout.write(
    `money of today: first ${first.ms} ms, again ${again.ms} ms, after one was saved ${after.ms} ms\n`,
  );
  expect([first.received, again.received, after.received]).toEqual(['49999.5', '49999.5', '49998']);
  expect(again.ms).toBeLessThan(first.ms / 5);
}, 300_000);
