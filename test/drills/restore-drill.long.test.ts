import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { onCluster } from '../support/database.js';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { compareWithTruth, readTruth } from './fault/compare-truth.js';
import { breakNames, createDrillSite, type DrillSite, everythingApplied } from './fault/drill-site.js';
import { createMerchantDay } from './fault/merchant-day.js';

const DAY_SECONDS = 86_400;
const ROUNDS = 6;
const sizes = isLong
  ? { payments: 1_000, invoices: 100, payouts: 60, movements: 300 }
  : { payments: 60, invoices: 12, payouts: 8, movements: 40 };
/** As often as can be: a day of the service passes in moments. */
const OFTEN = '*/2 * * * * *';
const CRONS = Object.fromEntries(
  ['PAYMENT_INTENTS', 'INVOICES', 'PAYOUTS', 'ACCOUNTS', 'TRANSACTIONS', 'BALANCES', 'DELIVERIES', 'CATALOG'].map(
    (kind) => [`RECONCILE_${kind}_CRON`, OFTEN],
  ),
);

let site: DrillSite;
let backup: string;

beforeEach(async () => {
  site = await createDrillSite({
    seconds: 2 * DAY_SECONDS,
    sandbox: { payments: 100, wallets: 4, movements: 60, payoutStepSeconds: 60 },
  });
  backup = `test_${randomBytes(6).toString('hex')}`;
});

afterEach(async () => {
  await site?.close();
  await onCluster(`DROP DATABASE IF EXISTS ${backup} WITH (FORCE)`);
});

async function play(seed: number): Promise<void> {
  const day = createMerchantDay(site.sandbox, { ...sizes, seed, rounds: ROUNDS, prefix: `day-${seed}-` });
  for (let round = 0; round < ROUNDS; round += 1) {
    await day.play(round);
    await site.advance(300);
  }
  await site.sandbox.control.deliveriesIdle();
}

test('after yesterday’s backup was put back everything is read again and every event recovered, by itself', {
  timeout: DRILL_MS,
}, async () => {
  const { installation, database, sandbox } = site;
  sandbox.control.setFaults({ links: true });
  await installation.start('serve', 'work');
  await site.reconcile('all');
  await play(1);
  await everythingApplied(database.db);
  await site.reconcile('all');
  await installation.stop();
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  await database.db.destroy();
  await onCluster(`CREATE DATABASE ${backup} TEMPLATE ${name}`);

  await installation.start('serve', 'work');
  await site.advance(DAY_SECONDS / 2);
  await play(2);
  await site.advance(DAY_SECONDS / 2);
  const lost = openDatabase(database.url);
  await everythingApplied(lost);
  const [events] = await lost('inbox').count<{ count: string }[]>();
  await lost.destroy();
  await site.reconcile('all');
  await installation.stop();

  url.pathname = `/${backup}`;
  Object.assign(installation.env, { DATABASE_URL: url.href, ...CRONS });
  const db = openDatabase(url.href);
  try {
    const [kept] = await db('inbox').count<{ count: string }[]>();
    await installation.start('serve', 'work', 'schedule');
    await until('nothing is left to do', async () => {
      const kinds = await compareWithTruth(db, await readTruth(sandbox));
      const left = kinds.flatMap(({ kind, differences }) =>
        differences.length > 0 ? [`${kind} ${differences.length}`] : [],
      );
      const deliveries = [...(await breakNames(db))].filter((one) => one.includes(' delivery '));
      return (left.length === 0 && deliveries.length === 0) || JSON.stringify([left, deliveries.slice(0, 3)]);
    });
    await everythingApplied(db);
    const [recovered] = await db('inbox').where({ source: 'delivery_history' }).count<{ count: string }[]>();
    report('restore-drill', {
      'events at the backup': String(kept?.count),
      'events a day later': String(events?.count),
      recovered: String(recovered?.count),
      differing: 0,
    });
    const changes = await db.raw(
      `SELECT entity_id FROM changes WHERE entity_kind = 'order' AND field = 'status' AND to_value = '"paid"'
       GROUP BY entity_id HAVING count(*) > 1`,
    );
    expect(changes.rows).toEqual([]);
    expect(await installation.stop()).toEqual([0, 0, 0]);
  } finally {
    await db.destroy();
  }
});
