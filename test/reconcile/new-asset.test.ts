import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addAmounts, sumAmounts } from '../../src/domain/money.js';
import { openingSinceBooks, openPosition } from '../../src/records/balances/balance-proofs.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { rowsOf } from '../../src/records/database/statements.js';
import { judgedBalance } from '../support/classified-balance.js';
import { poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { save } from '../support/saved.js';
import { ASSET, balanceStage } from './balance-stage.js';

/** Of which the sandbox's merchant has none. */
const NEW = 'BTT.TRC20';
const database = resettableDatabase();
const { proofOf, pay, opened } = balanceStage(database);

const bookedOf = async (assetCode: string) =>
  Object.fromEntries(
    (await accountTotals(database.db, '9999-12')).flatMap((one) =>
      one.assetCode === assetCode && one.closing !== '0' ? [[one.account, one.closing]] : [],
    ),
  );

test('the first sale in an asset that is new since the books began is income, and no opening', async () => {
  const { sandbox, at } = await opened();
  const began = (await proofOf())?.opening?.at;
  await pay(sandbox, '5000', NEW);
  await at.run('payment-intents');
  await at.run('balances');
  const proof = await proofOf(NEW);
  expect(proof).toMatchObject({ opening: { balance: '0', at: began }, unexplained: '0', unproven: null });
  expect(proof?.explained).toBe(proof?.balance);
  await postBooks(database.db);
  expect(await bookedOf(NEW)).toMatchObject({ 'assets:operating': proof?.balance, 'income:payments': '-5000' });
  expect(await bookedOf(NEW)).not.toHaveProperty('equity:opening');
  expect(await bookFindings(database.db)).toEqual([]);
  await at.run('balances');
  expect(await proofOf(NEW)).toMatchObject({ explained: proof?.explained, unexplained: '0', unproven: null });
});

test('what no list shows whole is its opening still', async () => {
  const { sandbox, at } = await opened();
  await pay(sandbox, '5000', NEW);
  const sent = await sandbox.call('POST', '/sandbox/deposits', { assetCode: NEW, amount: '7' });
  expect(sent.status).toBeLessThan(300);
  await at.run('payment-intents');
  await at.run('balances');
  const proof = await proofOf(NEW);
  expect(proof).toMatchObject({ opening: { balance: proof?.balance }, explained: '0', unexplained: '0' });
  await postBooks(database.db);
  expect(await bookedOf(NEW)).toEqual({ 'assets:operating': proof?.balance, 'equity:opening': `-${proof?.balance}` });
});

const BEGAN = new Date('2026-03-01T12:00:00Z');

const time = (hours: number) => new Date(BEGAN.getTime() + hours * 3_600_000).toISOString();

/** Hours after the beginning of the books; null: not shown. `made`: when the record was. */
const moved = fc.record({
  hours: fc.option(fc.integer({ min: -3, max: 30 }), { freq: 4 }),
  made: fc.option(fc.integer({ min: -3, max: 30 }), { freq: 4 }),
  part: fc.constantFrom('explained', 'explained', 'explained', 'explained', 'explained', 'unplaced', 'unclear'),
  account: fc.constantFrom(null, null, 'acc_1'),
  delta: fc.option(
    fc.integer({ min: -9, max: 9 }).filter((one) => one !== 0),
    { freq: 12 },
  ),
});

test('whatever an asset opens with, its balance is level at once, and nothing of before is booked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moved, { maxLength: 5 }),
      fc.constantFrom('since', 'since', 'all', 'other'),
      async (rows, which) => {
        await database.reset();
        const { db } = database;
        await judgedBalance(db, { assetCode: ASSET, opening: '100', balance: '100', now: BEGAN });
        const isSince = ({ hours, made }: { hours: number | null; made: number | null }) => (hours ?? made ?? -1) >= 0;
        const isWhole = rows.every(
          (one) => one.part === 'explained' && one.delta !== null && (one.hours !== null || isSince(one)),
        );
        const sumOf = (some: typeof rows) =>
          sumAmounts(some.flatMap(({ account, delta }) => (account === null && delta !== null ? [String(delta)] : [])));
        const since = sumOf(rows.filter(isSince));
        const balance = which === 'since' ? since : which === 'all' ? sumOf(rows) : addAmounts(since, '1');
        for (const [n, { hours, made, part, account, delta }] of rows.entries()) {
          const createdAt = made === null ? null : time(made);
          await save(database, [poll('payin', { id: `in_${n}`, createdAt }, 0)]);
          await db('movements').insert({
            record_kind: 'payin',
            record_id: `in_${n}`,
            line: 0,
            part,
            operation: 'payinConfirmed',
            account_id: account,
            asset_code: NEW,
            delta,
            base: delta === null ? null : 0,
            at: hours === null ? null : time(hours),
            moved_from: 1,
          });
        }
        const found = await openingSinceBooks(db, NEW, balance);
        const isNew = isWhole && rows.some(isSince) && balance === since;
        expect(found).toEqual(isNew ? { balance: '0', at: BEGAN.getTime(), openedAt: expect.any(Date) } : null);
        const opening = found ?? { balance, at: BEGAN.getTime() + 1, openedAt: null };
        await db.transaction((trx) => openPosition(trx, NEW, { opening, now: new Date() }));
        const [sum] = await rowsOf<{ explained: string; older: number }>(db)`
          SELECT trim_scale(coalesce(sum(delta - base) FILTER (WHERE part = 'explained' AND account_id IS NULL), 0))::text AS explained,
                 count(*) FILTER (WHERE at < ${BEGAN} AND delta <> base)::integer AS older
          FROM movements WHERE asset_code = ${NEW}`;
        expect(addAmounts(opening.balance, sum?.explained ?? '')).toBe(balance);
        expect(sum?.older).toBe(0);
      },
    ),
    { numRuns: process.env['TALLYHOOK_LONG'] ? 500 : 60 },
  );
}, 120_000);
