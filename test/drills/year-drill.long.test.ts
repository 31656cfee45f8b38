import path from 'node:path';
import { expect, test } from 'vitest';
import { accounts, beancountName, defaultChart, subWalletAccount } from '../../src/domain/books/chart.js';
import { beancountCommodity } from '../../src/domain/books/commodities.js';
import { negated, sumAmounts } from '../../src/domain/money.js';
import type { PeriodFile } from '../../src/domain/views/books-shapes.js';
import { exportMonth } from '../../src/finance/export-month.js';
import { matchOrders } from '../../src/finance/match-orders.js';
import { closePeriod } from '../../src/finance/periods/close-period.js';
import { createLog } from '../../src/log.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { type AccountTotal, accountTotals } from '../../src/records/books/account-totals.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { readBooks } from '../reconcile/ledger-truth.js';
import { type AtService, atService } from '../reconcile/service-at.js';
import { open } from '../sandbox/random-world.js';
import { beanBalances, beanCheck, hledgerBalances, hledgerCheck, isInstalled } from '../support/accounting-programs.js';
import { useDatabase } from '../support/database.js';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { useFolder } from '../support/folder.js';
import { postBooks } from '../support/posted-books.js';
import { expectMatched, registerOrders } from './year/expect-matched.js';
import { ASSETS, emptyYear, makeMonth, type YearWorld } from './year/make-month.js';

const MONTHS = 12;
const PAYMENTS = isLong ? 1_667 : 20;
const START = Date.UTC(2025, 9, 1, 0, 0, 30);
/** The last month of the fiscal year that ends within. */
const YEAR_END = '2025-12';
/** Of the short year these months are read by other programs too. */
const read = (n: number) => isLong || n === 1 || n === MONTHS - 1;

const database = useDatabase();
const dir = useFolder();

const key = ({ account, assetCode }: AccountTotal): string => `${account} ${assetCode}`;

async function begin(): Promise<{ world: YearWorld; at: AtService }> {
  const began = Date.now();
  const realNow = () => START + Date.now() - began;
  const world = { ...(await open({ realNow })), ...emptyYear() };
  // An account whose payouts show the payment that they give back: the specification names no such field.
  world.sandbox.control.setFaults({ links: true });
  for (const asset of ASSETS) world.sandbox.control.deposit(null, asset, '1000.000001');
  const at = atService(database, world.sandbox.url, { adoptedAt: new Date(START - 3_600_000) });
  expect(await at.run('balances')).toMatchObject({ status: 'succeeded', error: null });
  return { world, at };
}

/** Reads all that happened, and puts down what no list shows: the settlements. */
async function bring({ world, at }: { world: YearWorld; at: AtService }): Promise<void> {
  for (const kind of ['payment-intents', 'invoices', 'payouts', 'accounts', 'transactions', 'balances'] as const)
    expect([kind, await at.run(kind)]).toMatchObject([kind, { status: 'succeeded', error: null }]);
  for (const [assetCode, { unexplained, unknownAmount }] of await readProofs(database.db)) {
    for (const amount of [unexplained, unknownAmount]) {
      if (amount === null || amount === '0') continue;
      const given = { assetCode, amount, note: 'a settlement', actor: 'fina' };
      const { outcome } = await attributeBalance(database.db, given, new Date(world.sandbox.control.now()));
      expect([assetCode, amount, outcome]).toEqual([assetCode, amount, 'done']);
    }
  }
  for (const [assetCode, { unproven }] of await readProofs(database.db))
    expect([assetCode, unproven]).toEqual([assetCode, null]);
  await postBooks(database.db);
}

/** The books hold what the service holds, and go on from the month before. */
async function expectSame(world: YearWorld, month: string, before: AccountTotal[]): Promise<AccountTotal[]> {
  const totals = await accountTotals(database.db, month);
  const closing = new Map(totals.map((one) => [key(one), one.closing]));
  const truth = await readBooks(world.sandbox);
  for (const [asset, balance] of truth.operating)
    expect([month, asset, closing.get(`assets:operating ${asset}`) ?? '0']).toEqual([month, asset, balance]);
  for (const [id, wallet] of truth.wallets)
    for (const [asset, balance] of wallet)
      expect([month, id, asset, closing.get(`${subWalletAccount(accounts.subWallets, id)} ${asset}`) ?? '0']).toEqual([
        month,
        id,
        asset,
        balance,
      ]);
  const last = new Map(before.map((one) => [key(one), one.closing]));
  for (const one of totals) {
    expect([month, key(one), one.opening]).toEqual([month, key(one), last.get(key(one)) ?? '0']);
    expect([month, key(one), one.closing]).toEqual([month, key(one), sumAmounts([one.opening, one.activity])]);
  }
  return totals;
}

/** What became of each order, at a moment at which all is read. */
async function match(world: YearWorld): Promise<Record<string, number>> {
  const began = performance.now();
  await matchOrders({ db: database.db, timeZone: 'UTC', currency: 'USD' });
  const ms = Math.round(performance.now() - began);
  return { ...(await expectMatched(database.db, world, new Date(world.sandbox.control.now()))), 'matching, ms': ms };
}

const settings = { currency: 'USD', timeZone: 'UTC', chart: defaultChart, table: defaultContract.movements };

/** What an installation has done by the time that a month is closed: its loops post and match each minute, and seal every five. */
async function keepUp(world: YearWorld): Promise<number> {
  const began = performance.now();
  await sealRows({ db: database.db, now: () => new Date(world.sandbox.control.now()) });
  await matchOrders({ db: database.db, timeZone: settings.timeZone, currency: settings.currency });
  return Math.round(performance.now() - began);
}

async function close(world: YearWorld, month: string) {
  const deps = { ...settings, db: database.db, log: createLog('silent') };
  const now = () => new Date(world.sandbox.control.now());
  const closed = await closePeriod({ ...deps, now }, { month, actor: 'fina', reason: 'a drill' });
  expect(closed, JSON.stringify(closed)).toMatchObject({ outcome: 'closed' });
  return closed.outcome === 'closed' ? closed.files : [];
}

/** What a ledger that stands alone closes with, by account and asset: what earlier fiscal years earned is retained. */
function closingsInLedger(totals: readonly AccountTotal[], lastYear: readonly AccountTotal[]): [string, string][] {
  const closings = new Map(totals.map((one) => [key(one), one.closing]));
  const add = (name: string, amount: string) => closings.set(name, sumAmounts([closings.get(name) ?? '0', amount]));
  for (const { account, assetCode, closing } of lastYear) {
    if (!/^(income|expenses):/.test(account)) continue;
    add(`${account} ${assetCode}`, negated(closing));
    add(`equity:retained-earnings ${assetCode}`, closing);
  }
  return [...closings].filter(([, amount]) => amount !== '0');
}

async function readByHledger(month: string, closings: [string, string][]): Promise<void> {
  await exportMonth(database.db, { month, format: 'hledger', dir, ...settings });
  const file = path.join(dir, `${month}.journal`);
  await hledgerCheck(file);
  const theirs = [...(await hledgerBalances(file))].filter(([, amount]) => amount !== '0');
  expect([month, new Map(theirs)]).toEqual([month, new Map(closings)]);
}

async function readByBeancount(month: string, closings: [string, string][]): Promise<void> {
  await exportMonth(database.db, { month, format: 'beancount', dir, ...settings });
  const file = path.join(dir, `${month}.beancount`);
  expect([month, await beanCheck(file)]).toEqual([month, '']);
  const theirs = await beanBalances(file);
  for (const [held, closing] of closings) {
    const [account = '', assetCode = ''] = held.split(' ');
    const name = `${beancountName(account)} ${beancountCommodity(assetCode)}`;
    expect([month, name, theirs.get(name) ?? '0']).toEqual([month, name, closing]);
  }
}

test(`${MONTHS * PAYMENTS} payments of a year in ${ASSETS.length} assets: the books hold each month what the service holds, and hledger and beancount agree`, {
  timeout: DRILL_MS,
}, async () => {
  const site = await begin();
  const { world } = site;
  const months: { month: string; totals: AccountTotal[]; files: PeriodFile[]; behindMs: number; closingMs: number }[] =
    [];
  for (let n = 0; n < MONTHS; n += 1) {
    const [from, to] = [new Date(START), new Date(START)];
    from.setUTCMonth(from.getUTCMonth() + n);
    to.setUTCMonth(to.getUTCMonth() + n + 1);
    const month = from.toISOString().slice(0, 7);
    // A little before its end, so that what is read is all of the month.
    await makeMonth(world, { month: n, payments: PAYMENTS, seconds: (Number(to) - Number(from)) / 1_000 - 7_200 });
    await registerOrders(database.db, world, n * PAYMENTS);
    await bring(site);
    const totals = await expectSame(world, month, months.at(-1)?.totals ?? []);
    if (n === MONTHS - 1) report('year-drill match', await match(world));
    world.sandbox.control.advance(Math.ceil((Number(to) - world.sandbox.control.now()) / 1_000));
    const behindMs = await keepUp(world);
    const began = performance.now();
    const files = await close(world, month);
    months.push({ month, totals, files, behindMs, closingMs: Math.round(performance.now() - began) });
  }

  const programs = { hledger: await isInstalled('hledger'), beancount: await isInstalled('bean-query') };
  for (const [n, { month, totals, files }] of months.entries()) {
    expect(await accountTotals(database.db, month)).toEqual(totals);
    const lastYear = months.find((one) => one.month === YEAR_END && one.month < month)?.totals ?? [];
    const closings = closingsInLedger(totals, lastYear);
    if (programs.hledger && read(n)) await readByHledger(month, closings);
    if (programs.beancount && read(n)) await readByBeancount(month, closings);
    for (const format of ['csv', 'xlsx'] as const) {
      const { status, files: now } = await exportMonth(database.db, { month, format, dir, ...settings });
      const stored = files.filter(({ name }) => now.some((one) => one.name === name));
      expect([month, status, now.map(({ sha256 }) => sha256)]).toEqual([
        month,
        'closed',
        stored.map(({ sha256 }) => sha256),
      ]);
    }
  }
  const count = async (table: string) => Number((await database.db(table).count('* as count').first())?.['count']);
  const posted = new Set(months.flatMap(({ totals }) => totals).map(({ account }) => account.split(':wa-')[0]));
  const fromTo = (all: number[]) => `${Math.min(...all)} to ${Math.max(...all)}`;
  const megabytes = months.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  report('year-drill', {
    payments: world.payments,
    entries: await count('entries'),
    lines: await count('entry_lines'),
    'closing a month, ms': `${fromTo(months.map(({ closingMs }) => closingMs))}, the last ${months.at(-1)?.closingMs}`,
    'sealing and matching a whole month at once, ms': fromTo(months.map(({ behindMs }) => behindMs)),
    'files of a month, MB': (megabytes / MONTHS).toFixed(1),
  });
  // Else it would have been sent nothing.
  const expected = [
    accounts.operating,
    accounts.subWallets,
    accounts.held,
    accounts.disputes,
    accounts.customers,
    accounts.closedWallets,
    accounts.payments,
    accounts.refunds,
    accounts.fromSubWallets,
    accounts.transferFees,
    accounts.serviceFees,
    accounts.toSubWallets,
    accounts.conversion,
    accounts.transfers,
    accounts.withdrawals,
    accounts.unobservable,
  ];
  expect([...posted]).toEqual(expect.arrayContaining(expected));
});
