import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { type Chart, defaultChart } from '../../src/domain/books/chart.js';
import type { ExportFormat } from '../../src/finance/export-formats.js';
import { exportMonth } from '../../src/finance/export-month.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from './classified-balance.js';
import type { TestDatabase } from './database.js';
import { at, poll } from './observations.js';
import { postBooks } from './posted-books.js';
import { paidIntent, payout } from './records.js';
import { save } from './saved.js';
import { showRates } from './shown-rates.js';

const ASSETS = ['USDT.TRON', '1INCH', 'x"y\n; z'] as const;
export const [ASSET] = ASSETS;
export const HOSTILE = '=HYPERLINK("http://x"),\n; "a\\b" ';

/** Posts two months: a payment and a payout in March 2026, a payout with a hostile id and what finance attributed in April. */
export async function postMonths(database: TestDatabase): Promise<void> {
  const { db } = database;
  for (const assetCode of ASSETS)
    await judgedBalance(db, {
      assetCode,
      opening: '100.000000000000000001',
      balance: '60',
      now: new Date(at(0)),
    });
  await showRates(db, [{ assetCode: ASSET, rate: '1.001', at: at(3600) }]);
  await save(database, [
    poll('payment_intent', paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T15:00:00.000Z' }), 20),
    poll('payout', confirmed('po_1', '2026-03-31T14:59:59.000Z'), 30),
    poll('payout', confirmed(HOSTILE, '2026-04-02T10:00:00.000Z', { amount: '0.000000000000000003' }), 31),
  ]);
  await postBooks(db);
  for (const assetCode of ASSETS)
    await attributeBalance(
      db,
      { assetCode, amount: '-10', note: 'a settlement', actor: 'ann' },
      new Date('2026-04-03T00:00:00Z'),
    );
  await postBooks(db);
}

function confirmed(id: string, timestamp: string, fields = {}) {
  const networkFee = { networkFeeAmount: '3.1', networkFeeAssetCode: 'TRX' };
  const statusHistory = [{ status: 'confirmed', timestamp, source: 'chain' }];
  const about = { payoutType: 'withdrawal', amount: '10', feeAmount: '0.5', feeBearer: 'merchant' };
  return payout(id, { ...about, status: 'confirmed', statusHistory, ...networkFee, ...fields });
}

/** Exports of the database into a folder; text and months of it. */
export function exportsOf(database: { db: Knex }, dir: string) {
  return {
    write: (month: string, format: ExportFormat, chart: Chart = defaultChart) =>
      exportMonth(database.db, {
        month,
        format,
        dir,
        chart,
        currency: 'USD',
        timeZone: 'UTC',
        table: defaultContract.movements,
      }),
    text: (name: string, encoding: BufferEncoding = 'utf8') => readFile(path.join(dir, name), encoding),
    months: async (): Promise<string[]> => database.db('entries').distinct('month').orderBy('month').pluck('month'),
  };
}
