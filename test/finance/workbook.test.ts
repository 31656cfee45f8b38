import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { exportMonth } from '../../src/finance/export-month.js';
import type { MonthTable } from '../../src/finance/exports/month-tables.js';
import { tableColumns } from '../../src/finance/exports/table-columns.js';
import { amountCell, columnName, rowXml, textCell } from '../../src/finance/exports/workbook/cells.js';
import { sheetSums } from '../../src/finance/exports/workbook/sheet-sums.js';
import { tableSheets } from '../../src/finance/exports/workbook/table-sheets.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { doubtedPayments } from '../../src/records/books/period-facts.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { isInstalled } from '../support/accounting-programs.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { readByLibreOffice } from '../support/libreoffice.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { intent, paidIntent, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const MONTH = '2026-03';
const ASSETS = ['USDT.TRON', 'BTC'] as const;
const HOSTILE = '=HYPERLINK("http://x"),\n<b>&"a\\b" \u0001_x0041_';
const database = useDatabase();
const dir = useFolder();

beforeAll(async () => {
  for (const assetCode of ASSETS)
    await judgedBalance(database.db, {
      assetCode,
      opening: '100.000000000000000001',
      balance: '60',
      now: new Date(at(0)),
    });
  const paid = (n: number) =>
    poll(
      'payment_intent',
      paidIntent(`pi_${n}`, `pa_${n}`, { updatedAt: `2026-03-0${1 + (n % 9)}T15:00:00.000Z` }),
      20 + n,
    );
  await save(database, [
    ...Array.from({ length: 30 }, (_, n) => paid(n)),
    poll(
      'payment_intent',
      intent('pi_open', { merchantReference: HOSTILE, createdAt: '2026-03-01T00:00:01.000Z' }),
      60,
    ),
    sent('po_1', 'withdrawal', { amount: '12.345678901234567891', assetCode: 'BTC' }),
    sent('po_2', 'withdrawal', { amount: '0.000000000000000003' }),
    sent('po_3', 'refund', { amount: '3.5', paymentIntentId: 'pi_1' }),
  ]);
  await postBooks(database.db);
  const evidence = { ours: 'paid' };
  await openBreaks(database.db, [
    { kind: 'fee_identity', entity: { kind: 'payment_intent', id: 'pi_1' }, evidence },
    { kind: 'contract_violation', entity: { kind: 'payment_intent', id: 'pi_1' }, evidence },
    { kind: 'duplicate_payment', entity: { kind: 'order', id: 'order-pi_2' }, evidence },
  ]);
}, 60_000);

function sent(id: string, payoutType: string, fields: object) {
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-20T10:00:00.000Z', source: 'chain' }];
  const about = { payoutType, feeAmount: '0.5', feeBearer: 'merchant', merchantReference: HOSTILE };
  return poll('payout', payout(id, { ...about, status: 'confirmed', statusHistory, ...fields }), 70);
}

async function write(): Promise<string> {
  const settings = { dir, chart: defaultChart, currency: 'USD', timeZone: 'UTC', table: defaultContract.movements };
  const { files } = await exportMonth(database.db, { month: MONTH, format: 'xlsx', ...settings });
  return files[0]?.sha256 ?? '';
}

const file = (): string => path.join(dir, `${MONTH}.xlsx`);

async function parts(): Promise<Record<string, string>> {
  const zip = unzipSync(await readFile(file()));
  return Object.fromEntries(Object.entries(zip).map(([name, content]) => [name, strFromU8(content)]));
}

it('is the same bytes whenever it is made', async () => {
  const first = await write();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await write()).toBe(first);
});

it('holds a sheet of each kind, with a header that stays and filters', async () => {
  await write();
  const found = await parts();
  const titles = [...(found['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]+)"/g)].map(([, title]) => title);
  const kinds = ['Orders', 'Payments', 'Fees', 'Refunds', 'Payouts', 'Balances', 'Open breaks', 'Doubted'];
  const tables = ['orders', 'payments', 'fees', 'refunds', 'payouts', 'balances', 'breaks', 'doubted'] as const;
  expect(titles).toEqual(['Summary', ...kinds]);
  for (const [n, kind] of kinds.entries()) {
    const sheet = found[`xl/worksheets/sheet${n + 2}.xml`] ?? '';
    expect(found['xl/workbook.xml']).toContain(
      `<definedName name="_xlnm.Print_Titles" localSheetId="${n + 1}">'${kind}'!$1:$1</definedName>`,
    );
    const lastPrinted = columnName(tableColumns[tables[n] ?? 'orders'].length - 1);
    expect(found['xl/workbook.xml']).toContain(`localSheetId="${n + 1}">'${kind}'!$A:$${lastPrinted}<`);
    // Each cell has its line, also where nothing is in it.
    const counts = [...sheet.matchAll(/<row .*?<\/row>/gs)].map(([row]) => row.split('<c ').length);
    expect(new Set(counts).size).toBe(1);
    expect(sheet).toContain('state="frozen"');
    expect(sheet).toContain('<autoFilter ref="A1:');
  }
});

it('takes no text of others for a formula, and none of it is lost', async () => {
  await write();
  const found = await parts();
  const payouts = found['xl/worksheets/sheet6.xml'] ?? '';
  expect(payouts).toContain(
    '=HYPERLINK(&quot;http://x&quot;),\n&lt;b&gt;&amp;&quot;a\\b&quot; _x0001__x005F_x0041_</t>',
  );
  expect(
    Object.entries(found).filter(([name, text]) => name !== 'xl/worksheets/sheet1.xml' && text.includes('<f>')),
  ).toEqual([]);
});

it('marks a number that a table program would round, and has the exact one beside it', async () => {
  expect(amountCell('0.1')).toMatchObject({ style: 'amount' });
  expect(amountCell('-1000000000000000000000')).toMatchObject({ style: 'amount' });
  expect(amountCell('0.000000000000000003')).toMatchObject({ style: 'amount' });
  expect(amountCell('123456789012345')).toMatchObject({ style: 'amount' });
  expect(amountCell('12.345678901234567891')).toMatchObject({ style: 'rounded', digits: '12.345678901234567891' });
  expect(rowXml([textCell('\uD800', 'text')], 1)).toContain('\uFFFD');
  expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
});

it('goes on in a second sheet where the first is full, and sums up both', async () => {
  const rows = Array.from({ length: 7 }, (_, n) => ({ id: `pi_${n}`, asset: 'BTC', gross: '0.1', net: '-1' }));
  const table: MonthTable = {
    name: 'payments',
    columns: tableColumns.payments,
    async *rows() {
      yield rows.slice(0, 4);
      yield rows.slice(4);
    },
  };
  const sums = sheetSums();
  const sheets: [string, number][] = [];
  for await (const { title, content } of tableSheets(table, { currency: 'USD', sums, mostRows: 4 })) {
    let xml = '';
    for await (const text of content) xml += text;
    sheets.push([title, xml.split('<row ').length - 1]);
  }
  expect(sheets).toEqual([
    ['Payments', 4],
    ['Payments 2', 4],
    ['Payments 3', 2],
  ]);
  const gross = sums.all().find(({ label }) => label === 'Gross');
  expect(gross).toMatchObject({ asset: 'BTC', sum: '0.7' });
  expect(gross?.formula('$C$1')).toContain("+SUMIF('Payments 3'!$I:$I,$C$1,'Payments 3'!$J:$J)");
});

it('is opened by LibreOffice, whose sums are ours', async (context) => {
  context.skip(!(await isInstalled('soffice')), 'LibreOffice is not installed');
  await write();
  const sheets = await readByLibreOffice(file());
  const summary = sheets.get('Summary') ?? [];
  const sums = summary.slice(summary.findIndex(([first]) => first === 'Sums of the sheets') + 2);
  expect(sums.length).toBeGreaterThan(8);
  for (const [sheet, column, asset, ours, theirs, , exact] of sums) {
    // It shows 15 digits.
    for (const [whose, sum] of Object.entries({ ours, theirs })) {
      const off = Math.abs(Number(sum) - Number(exact));
      expect(off, `${whose} ${sheet} ${column} ${asset}`).toBeLessThanOrEqual(1e-13 * Math.abs(Number(exact)));
    }
  }
  const totals = await accountTotals(database.db, MONTH);
  for (const asset of ASSETS) {
    const activity = (account: string) =>
      totals.find((one) => one.account === account && one.assetCode === asset)?.activity ?? '0';
    const added = (sheet: string, column: string) => exactSum(sheets.get(sheet) ?? [], column, asset);
    expect(subtractAmounts('0', added('Payments', 'Gross, exact'))).toBe(activity('income:payments'));
    expect(added('Refunds', 'Booked, exact')).toBe(activity('income:refunds'));
    expect(added('Payouts', 'Booked, exact')).toBe(activity('equity:withdrawals'));
    expect(added('Fees', 'Amount, exact')).toBe(activity('expenses:fees:service'));
    const row = sheets.get('Balances')?.find(([first]) => first === asset);
    expect(row).toContain(totals.find((one) => one.account === 'assets:operating' && one.assetCode === asset)?.closing);
  }
  const doubted = await doubtedPayments(database.db, MONTH, 'USD');
  const keys = ['id', 'kind', 'payment', 'order', 'unpriced', 'counts'];
  expect(doubted.map(({ payment }) => payment ?? '').toSorted()).toEqual(['pi_1', 'pi_1', 'pi_2']);
  const [head = [], ...rows] = sheets.get('Doubted') ?? [];
  const places = tableColumns.doubted.flatMap(({ key, label }) => (keys.includes(key) ? head.indexOf(label) : []));
  expect(rows.map((row) => places.map((place) => row[place]))).toEqual(
    doubted.map((one) => keys.map((key) => one[key] ?? '')),
  );
}, 240_000);

function exactSum([head = [], ...rows]: string[][], column: string, asset: string): string {
  const [of, amount] = [head.indexOf('Asset'), head.indexOf(column)];
  expect([column, amount]).not.toEqual([column, -1]);
  return sumAmounts(rows.filter((row) => row[of] === asset).map((row) => row[amount] || '0'));
}
