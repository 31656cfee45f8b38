import type { Knex } from 'knex';
import { defaultChart } from '../../src/domain/books/chart.js';
import { ndjsonFiles } from '../../src/finance/exports/ndjson-files.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { type AccountTotal, accountTotals } from '../../src/records/books/account-totals.js';
import { periodFiles, readPeriodFile, storePeriodFile } from '../../src/records/books/period-files.js';
import { beginClosing, saveClosed, saveReopened } from '../../src/records/books/periods.js';
import { defaultContract } from '../../src/service-api/contract.js';

/** What its accounts come to, as a closing stores it. */
export async function storeAccounts(
  trx: Knex.Transaction,
  month: string,
  closing: number,
  currency = 'USD',
): Promise<void> {
  const standing = { state: 'closed', notes: [] } as const;
  const { movements: table } = defaultContract;
  const files = ndjsonFiles({ trx, month, chart: defaultChart, table, timeZone: 'UTC', currency, standing });
  for (const { name, content } of files.filter((file) => file.name.endsWith('-accounts.ndjson')))
    await storePeriodFile(trx, { month, closing, format: 'ndjson', name }, content);
}

/** Closes a month as a person does; `files`: what is stored with it. */
export async function closeMonth(
  db: Knex,
  month: string,
  files: (trx: Knex.Transaction, closing: number) => Promise<unknown> = async () => {},
): Promise<void> {
  await db.transaction(async (trx) => {
    await files(trx, await beginClosing(trx, month));
    await saveClosed(trx, month, { actor: 'ann', reason: null });
    const about = { actor: 'ann', target: `period ${month}`, outcome: 'done' } as const;
    await recordAction(trx, { ...about, action: 'close period' });
  });
}

export async function reopenMonth(db: Knex, month: string): Promise<void> {
  await db.transaction(async (trx) => {
    await saveReopened(trx, month, { actor: 'ann', reason: 'a test' });
    const about = { actor: 'ann', target: `period ${month}`, reason: 'a test', outcome: 'done' } as const;
    await recordAction(trx, { ...about, action: 'reopen period' });
  });
}

/** With what it opens, of all assets. */
export async function openingOf(db: Knex, month: string): Promise<Record<string, string>> {
  const totals = (await accountTotals(db, month)).filter(({ opening }) => opening !== '0');
  return Object.fromEntries(totals.map((one) => [`${one.account} in ${one.assetCode}`, one.opening]));
}

/** What was stored of its closing. */
export async function closingOf(db: Knex, month: string): Promise<Record<string, string>> {
  const file = (await periodFiles(db, month)).find(({ name }) => name.endsWith('-accounts.ndjson'));
  const parts: Buffer[] = [];
  for await (const part of readPeriodFile(db, file?.id ?? '')) parts.push(part);
  const lines = Buffer.concat(parts).toString().split('\n').filter(Boolean);
  const totals: AccountTotal[] = lines.map((line) => JSON.parse(line));
  const held = totals.filter(({ closing }) => closing !== '0');
  return Object.fromEntries(held.map((one) => [`${one.account} in ${one.assetCode}`, one.closing]));
}
