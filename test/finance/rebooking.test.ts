import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContraAccount, contraNames } from '../../src/domain/books/chart.js';
import { dayAfter } from '../../src/domain/books/posting-month.js';
import { negated, subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import { wouldRebook } from '../../src/finance/decisions/rebooking.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { readProofs } from '../../src/records/balances/balance-proofs.js';
import { listAttributions } from '../../src/records/balances/balance-views.js';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { listEntries } from '../../src/records/books/list-entries.js';
import { provenSinceEnd } from '../../src/records/books/period-facts.js';
import { closedMonths } from '../../src/records/books/posting-progress.js';
import { type NewRebooking, rebookAttribution } from '../../src/records/books/rebook-attribution.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { closeMonth, closingOf, openingOf, reopenMonth, storeAccounts } from '../support/closed-month.js';
import { useDatabase } from '../support/database.js';
import { giveRates } from '../support/given-rates.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { held, ratesOf, standing } from '../support/rebooked.js';
import { sized } from '../support/sizes.js';

const database = useDatabase();
const books = { timeZone: 'UTC', currency: 'USD', table: defaultContract.movements };
const NOW = new Date('2026-06-20T12:00:00Z');
const OPENED = '2026-02-28';
let count = 0;
let asset: string;

async function openAsset(): Promise<void> {
  count += 1;
  asset = `C${count}.NET`;
  const now = new Date(`${OPENED}T00:00:00Z`);
  await judgedBalance(database.db, { assetCode: asset, opening: '1000', balance: '5000', now });
  await postBooks(database.db);
}
beforeEach(openAsset);

async function attribute(amount: string, contra: ContraAccount, day: string): Promise<string> {
  const on = { day, timeZone: 'UTC' };
  const given = { assetCode: asset, amount, contra, on, note: 'found', actor: 'fina' };
  const result = await attributeBalance(database.db, given, NOW);
  if (result.outcome !== 'done') throw new Error(result.outcome);
  return result.id;
}

const said = { note: 'the customer wrote', actor: 'ada' };
const rebook = (attribution: string, given: Pick<NewRebooking, 'from' | 'contra' | 'on'>) =>
  rebookAttribution(database.db, { assetCode: asset, attribution, ...given, ...said }, { timeZone: 'UTC', now: NOW });

const give = (day: string, rate: string) =>
  giveRates(`date,asset,currency,rate\n${day},${asset},USD,${rate}\n`, { ...books, db: database.db });

const entriesOf = async (recordId: string) =>
  (await listEntries(database.db, { take: 50, recordKind: 'attribution', recordId })).items.toReversed();

const closeWithAccounts = (month: string) =>
  closeMonth(database.db, month, (trx, closing) => storeAccounts(trx, month, closing));

const contra = fc.constantFrom(...contraNames);
const doing = <const Verb extends string, Given extends object>(
  verb: Verb,
  given: { [K in keyof Given]: fc.Arbitrary<Given[K]> },
) => fc.record(given).map((some) => ({ do: verb, ...some }));
const cents = fc.integer({ min: 1, max: 999 });
const step = fc.oneof(
  { weight: 3, arbitrary: doing('attribute', { cents, contra, days: fc.nat(80) }) },
  {
    weight: 5,
    arbitrary: doing('rebook', {
      pick: fc.nat(),
      from: contra,
      isWrong: fc.nat(3),
      contra,
      days: fc.oneof(fc.nat(5), fc.nat(40)),
    }),
  },
  { weight: 4, arbitrary: doing('rate', { pick: fc.nat(), rate: fc.integer({ min: 50, max: 150 }) }) },
  { weight: 2, arbitrary: doing('post', {}) },
  { weight: 3, arbitrary: doing('close', {}) },
  { weight: 3, arbitrary: doing('reopen', {}) },
);
const MONTHS = ['2026-03', '2026-04', '2026-05', '2026-06'];

const later = (day: string, days: number): string => {
  let on = day;
  for (let n = 0; n < days; n += 1) on = dayAfter(on);
  return on;
};

describe('an attribution', () => {
  it('stands, whatever was attributed, rebooked, closed and reopened, whole on one account at the end of each month, and then on that of its newest correction', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
        await openAsset();
        for (const one of await closedMonths(database.db)) await reopenMonth(database.db, one);
        const model: { id: string; amount: string; day: string; on: string; stands: ContraAccount; moves: number }[] =
          [];
        let closed = 0;
        for (const one of steps) {
          if (one.do === 'attribute') {
            const on = later('2026-03-01', one.days);
            const amount = `0.${String(one.cents).padStart(3, '0')}`.replace(/0+$/, '');
            const id = await attribute(amount, one.contra, on);
            model.push({ id, amount, day: on, on, stands: one.contra, moves: 0 });
          }
          const own = 'pick' in one ? model[one.pick % Math.max(1, model.length)] : undefined;
          if (one.do === 'rebook' && own !== undefined) {
            const on = later(own.on, one.days);
            const from = one.isWrong === 0 ? one.from : own.stands;
            const { outcome } = await rebook(own.id, { from, contra: one.contra, on });
            const may = from === own.stands && one.contra !== from && on <= '2026-06-20';
            expect(outcome).toBe(may ? 'done' : 'refused');
            if (may) Object.assign(own, { on, stands: one.contra, moves: own.moves + 1 });
          }
          if (one.do === 'rate' && own !== undefined) await give(own.day, String(one.rate / 100));
          if (one.do === 'post' || one.do === 'close') await postBooks(database.db);
          if (one.do === 'close' && closed < 3) {
            await closeWithAccounts(MONTHS[closed] ?? '');
            closed += 1;
          }
          if (one.do === 'reopen' && closed > 0) {
            closed -= 1;
            await reopenMonth(database.db, MONTHS[closed] ?? '');
          }
        }
        await postBooks(database.db);
        expect(await postBooks(database.db)).toMatchObject({ entries: 0 });
        for (; closed < 3; closed += 1) await closeWithAccounts(MONTHS[closed] ?? '');
        for (const [n, month] of MONTHS.slice(1).entries())
          expect(await openingOf(database.db, month)).toEqual(await closingOf(database.db, MONTHS[n] ?? ''));
        const proof = (await readProofs(database.db, [asset])).get(asset);
        const attributed = sumAmounts(model.map(({ amount }) => amount));
        expect(proof).toMatchObject({
          attributed,
          unexplained: subtractAmounts('4000', attributed),
        });
        const shown = new Map((await listAttributions(database.db, asset)).map((one) => [one.id, one]));
        for (const { id, amount, stands, moves } of model) {
          expect(shown.get(id)).toMatchObject({ standsOn: stands, rebookings: { length: moves } });
          const sums = await held(database.db, id);
          const whole = { 'assets:operating': amount, [stands]: negated(amount) };
          expect(await standing(database.db, id, '9999-12')).toEqual(whole);
          // In each month it is not there yet, or whole and on one account.
          for (const month of MONTHS) {
            const then = await standing(database.db, id, month);
            const others = Object.entries(then).filter(([account]) => account !== 'assets:operating');
            expect([month, others.map(([, units]) => units), then['assets:operating']]).toEqual(
              others.length === 0 ? [month, [], undefined] : [month, [negated(amount)], amount],
            );
          }
          for (const [account, { units, money }] of sums)
            if (account !== 'assets:operating' && account !== stands) expect([units, money ?? '0']).toEqual(['0', '0']);
          expect(await ratesOf(database.db, id)).toHaveLength(1);
          const entries = await entriesOf(id);
          expect(entries.map(({ type }) => type)).toEqual([
            'entry',
            ...Array.from({ length: moves }, () => ['reversal', 'correction']).flat(),
          ]);
          for (const { month: in_, date, adjusts } of entries)
            expect([date.slice(0, 7), adjusts === null || adjusts < in_]).toEqual([in_, true]);
        }
        const booked = (await accountTotals(database.db, '9999-12')).filter(({ assetCode }) => assetCode === asset);
        for (const account of contraNames) {
          const own = model.filter(({ stands }) => stands === account).map((one) => negated(one.amount));
          expect([account, booked.find((one) => one.account === account)?.closing ?? '0']).toEqual([
            account,
            sumAmounts(own),
          ]);
        }
        expect(await bookFindings(database.db)).toEqual([]);
      }),
      { numRuns: sized(20, 200), endOnFailure: true },
    );
  }, 240_000);

  it('is taken back and booked anew on the day that is named; of a closed month in the open one, which names it', async () => {
    for (const month of await closedMonths(database.db)) await reopenMonth(database.db, month);
    const id = await attribute('12.5', 'income:attributed', '2026-05-17');
    expect(
      await rebook(id, { from: 'income:attributed', contra: 'liabilities:attributed', on: '2026-05-20' }),
    ).toMatchObject({ outcome: 'done' });
    await postBooks(database.db);
    await rebook(id, { from: 'liabilities:attributed', contra: 'equity:deposits', on: '2026-06-02' });
    await postBooks(database.db);
    const told = (n: string) => `the customer wrote (rebooking ${n} of attribution ${id} by ada)`;
    const [one, two] = (await listAttributions(database.db, asset))[0]?.rebookings ?? [];
    const entries = await entriesOf(id);
    expect(
      entries.map(({ type, date, month, adjusts, description }) => [type, date, month, adjusts, description]),
    ).toEqual([
      ['entry', '2026-05-17', '2026-05', null, `found (attribution ${id} by fina)`],
      ['reversal', '2026-05-20', '2026-05', null, `reversal: ${told(one?.id ?? '')}`],
      ['correction', '2026-05-20', '2026-05', null, told(one?.id ?? '')],
      ['reversal', '2026-06-02', '2026-06', '2026-05', `reversal: ${told(two?.id ?? '')}`],
      ['correction', '2026-06-02', '2026-06', '2026-05', told(two?.id ?? '')],
    ]);
    const other = await attribute('1', 'income:attributed', '2026-05-18');
    await postBooks(database.db);
    await closeMonth(database.db, '2026-05');
    await rebook(other, { from: 'income:attributed', contra: 'equity:deposits', on: '2026-05-18' });
    await postBooks(database.db);
    expect((await entriesOf(other)).slice(1)).toMatchObject([
      { type: 'reversal', date: '2026-06-01', adjusts: '2026-05' },
      { type: 'correction', date: '2026-06-01', adjusts: '2026-05' },
    ]);
  });

  it.each([
    [
      { from: 'income:attributed', contra: 'equity:deposits', on: '2026-05-17' },
      'stands on equity:attributed, not on income:attributed',
    ],
    [
      { from: 'equity:attributed', contra: 'equity:attributed', on: '2026-05-17' },
      'stands on equity:attributed already',
    ],
    [{ from: 'equity:attributed', contra: 'equity:deposits', on: '2026-05-16' }, 'it stands there since 2026-05-17'],
    [{ from: 'equity:attributed', contra: 'equity:deposits', on: '2026-06-21' }, 'is yet to come'],
    [{ from: 'equity:attributed', contra: 'equity:deposits', on: '2026-02-30' }, 'is no day'],
  ] as const)('stays where it can’t be rebooked (%#)', async (given, why) => {
    const id = await attribute('1', 'equity:attributed', '2026-05-17');
    expect(await rebook(id, given)).toMatchObject({ outcome: 'refused', why: expect.stringContaining(why) });
    expect(await rebook('999999', given)).toEqual({ outcome: 'not_found' });
    expect((await listAttributions(database.db, asset))[0]).toMatchObject({ rebookings: [] });
  });

  it('of a closed month keeps its value, though another rate of its day was given before or after it was rebooked', async () => {
    for (const month of await closedMonths(database.db)) await reopenMonth(database.db, month);
    await give('2026-05-17', '0.9');
    const id = await attribute('10', 'income:attributed', '2026-05-17');
    await postBooks(database.db);
    await closeMonth(database.db, '2026-05');
    await give('2026-05-17', '1.1');
    const moved = { from: 'income:attributed', contra: 'equity:deposits', on: '2026-06-02' } as const;
    const given = { assetCode: asset, attribution: id, ...moved, ...said };
    const { lines } = await wouldRebook(database.db, given, { ...books, now: NOW });
    expect(lines).toContain('Both keep the value of the attribution, 9.00 USD.');
    await rebook(id, moved);
    await postBooks(database.db);
    await rebook(id, { from: 'equity:deposits', contra: 'expenses:attributed', on: '2026-06-03' });
    await postBooks(database.db);
    await give('2026-05-17', '1.2');
    expect(await ratesOf(database.db, id)).toEqual(['0.9']);
    expect(Object.fromEntries(await held(database.db, id))).toEqual({
      'assets:operating': { units: '10', money: '9' },
      'income:attributed': { units: '0', money: '0' },
      'equity:deposits': { units: '0', money: '0' },
      'expenses:attributed': { units: '-10', money: '-9' },
    });
    await reopenMonth(database.db, '2026-05');
    await give('2026-05-17', '1.3');
    expect(await ratesOf(database.db, id)).toEqual(['1.3']);
  });

  it('leaves a balance proven that was proven before', async () => {
    for (const month of await closedMonths(database.db)) await reopenMonth(database.db, month);
    const id = await attribute('4000', 'income:attributed', '2026-05-17');
    await postBooks(database.db);
    await database.db('balance_proofs').where({ asset_code: asset }).update({ proven_at: new Date() });
    await rebook(id, { from: 'income:attributed', contra: 'equity:deposits', on: '2026-05-17' });
    await postBooks(database.db);
    expect(await entriesOf(id)).toHaveLength(3);
    const proven = await provenSinceEnd(database.db, { month: '2026-05', end: new Date('2026-06-01T00:00:00Z') });
    expect(proven).toContain(asset);
  });

  it('is named by the audit where no action, or another one, says that it was rebooked', async () => {
    const id = await attribute('1', 'equity:attributed', '2026-05-17');
    await database.db.transaction(async (trx) => {
      const row = {
        attribution_id: id,
        step: 1,
        contra: 'income:attributed',
        note: 'n',
        actor: 'eve',
        booked_on: '2026-05-18',
      };
      const [made] = await trx('attribution_rebookings').insert(row, 'id');
      const details = {
        attribution: id,
        rebooking: String(made.id),
        contra: 'liabilities:attributed',
        on: '2026-05-18',
      };
      const about = { actor: 'eve', action: 'rebook attribution', target: `balance ${asset}`, reason: 'n', details };
      await recordAction(trx, { ...about, outcome: 'done' });
    });
    const found = await bookFindings(database.db);
    expect(found.filter((told) => told.startsWith('action_missing'))).toHaveLength(2);
  });
});
