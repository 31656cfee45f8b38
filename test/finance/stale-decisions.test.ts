/** What two people decide is done only as it was shown: each change here comes between asking and approving. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { whatDiffers } from '../../src/domain/two-people.js';
import { askDecision, decide } from '../../src/finance/decisions/decisions.js';
import { createLog } from '../../src/log.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { markSettlement } from '../../src/records/books/settlements.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';

const ASSET = 'USDT.TRON';
const database = useDatabase();
const zone = { timeZone: 'UTC', currency: 'USD', table: defaultContract.movements, chart: defaultChart };
const deps = () => ({ ...zone, db: database.db, log: createLog('silent'), now: () => new Date() });

async function ask(one: Pick<Parameters<typeof askDecision>[1], 'action' | 'input'>) {
  const asked = await askDecision(deps(), { ...one, reason: 'known' }, { name: 'fina', role: 'finance' });
  if (asked.outcome !== 'waits') throw new Error(asked.why);
  return asked.decision;
}
async function decided({ id }: { id: string }) {
  const result = await decide(deps(), { id, verdict: 'approve', note: 'seen' }, { name: 'ada', role: 'admin' });
  if (result.outcome !== 'done') throw new Error(result.outcome);
  return result.decision;
}
const approve = async (asked: { id: string }) => (await decided(asked)).state;

let second = 30;
async function pay(id: string, day: string, amount: string, payoutType = 'withdrawal') {
  const statusHistory = [{ status: 'confirmed', timestamp: `${day}T10:00:00.000Z`, source: 'chain' }];
  const about = { payoutType, amount, feeAmount: '0', feeBearer: 'merchant', statusHistory };
  second += 1;
  const shown = { ...about, status: 'confirmed', createdAt: `${day}T09:00:00.000Z` };
  await save(database, [poll('payout', payout(id, shown), second)]);
  await postBooks(database.db);
}

const openDuplicates = (...ids: string[]) =>
  openBreaks(
    database.db,
    ids.map((id) => ({
      kind: 'duplicate_payment' as const,
      entity: { kind: 'order' as const, id },
      evidence: { of: id },
    })),
  );
async function attribute(amount: string) {
  const given = { assetCode: ASSET, amount, note: 'n', actor: 'x', on: { day: '2026-04-03', timeZone: 'UTC' } };
  expect((await attributeBalance(database.db, given, new Date())).outcome).toBe('done');
  await postBooks(database.db);
}

beforeAll(async () => {
  const { db } = database;
  await judgedBalance(db, { assetCode: ASSET, opening: '5000', balance: '4000', now: new Date(at(0)) });
  await pay('po_1', '2026-03-20', '100');
  await attribute('-1');
  await openDuplicates('o-1');
}, 60_000);

describe('a closing that was asked for', () => {
  const closing = { action: 'close period', input: { month: '2026-03' } } as const;
  const renewed = (evidence: string) => database.db('breaks').where({ entity_id: 'o-1' }).update({ evidence });

  it.each([
    [
      'an exception that was shown has other figures',
      () => attribute('-900'),
      /not “Exception: .* -999 is unexplained.*” but “Exception: .* -99 is unexplained/,
    ],
    [
      'a break that was shown has other evidence',
      () => renewed('{"of":"5000000"}'),
      /: each line of it is the same, but not what is behind them, such as the evidence of a break\./,
    ],
    [
      'a break is acknowledged',
      () => database.db('breaks').where({ entity_id: 'o-1' }).update({ status: 'acknowledged' }),
      /“Exception: break \d+ is open: .* o-1” but “Exception: break \d+ is acknowledged/,
    ],
    ['a break is opened', () => openDuplicates('o-2'), /new is “Exceptions: 2 critical breaks of one kind/],
    [
      'a total is another',
      () => pay('po_2', '2026-03-21', '7'),
      /not “6 lines without a rate: .*” but “10 lines .*not “Entries: 3, the newest of them \d+\.” but “Entries: 5, the newest/,
    ],
  ])(
    'is not done where %s by now, and says what differs',
    async (_told, change, differs) => {
      const decision = await ask(closing);
      expect((await ask(closing)).id).toBe(decision.id);
      await change();
      expect(await decided(decision)).toMatchObject({ state: 'expired', outcome: expect.stringMatching(differs) });
    },
    60_000,
  );

  it('shows the breaks in a line for each kind, then every other exception, money first, and every total', async () => {
    await openDuplicates(...Array.from({ length: 60 }, (_, n) => `o-more-${n}`));
    const { preview } = await ask(closing);
    const lines = (preview ?? '').split('\n');
    expect(lines.length).toBeLessThan(30);
    const placeOf = (words: string) => lines.findIndex((line) => line.includes(words));
    const places = [
      '62 critical breaks of one kind, duplicate payment: ',
      'without a value',
      ' is unexplained',
      'assets:operating: ',
    ];
    const found = places.map(placeOf);
    expect(found).not.toContain(-1);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
  }, 60_000);
});

describe('rates that were asked for', () => {
  const file = (rate: string) => ({
    action: 'import rates' as const,
    input: { text: `date,asset,currency,rate\n2026-03-20,${ASSET},USD,${rate}\n`, accepted: [`2026-03:${ASSET}`] },
  });

  it('are not taken where other rates of the day were meanwhile', async () => {
    // On a day of no entry, so that nothing but the rate itself differs.
    const empty = (rate: string) => {
      const { action, input } = file(rate);
      return { action, input: { ...input, text: input.text.replace('03-20', '03-02') } };
    };
    const stale = await ask(empty('1.1'));
    expect(await approve(await ask(empty('1.01')))).toBe('approved');
    expect(await approve(stale)).toBe('expired');
    expect((await ask(empty('1.1'))).preview).toContain(`line 2: 1.1 for ${ASSET} takes the place of 1.01`);
  }, 60_000);

  it('are not taken where more entries would be valued', async () => {
    const stale = await ask(file('1.2'));
    await pay('po_3', '2026-03-20', '2000');
    expect(await approve(stale)).toBe('expired');
    expect(await approve(await ask(file('1.2')))).toBe('approved');
  }, 60_000);
});

it('a mark shows the bank’s reference and the mark that it takes the place of, and is not taken once that is another', async () => {
  await pay('po_settled', '2026-03-20', '100', 'settlement');
  const mark = async (amount: string, difference: 'fees' | 'unexplained') => {
    const said = { payoutId: 'po_settled', amount, difference, reference: 'S 1', note: 'statement', actor: 'bo' };
    expect(await markSettlement(database.db, said, { ...zone, settlementDays: 5 }, new Date())).toMatchObject({
      outcome: 'done',
    });
  };
  const again = { payoutId: 'po_settled', amount: '95', currency: 'EUR', reference: 'SETTLE 4711', on: '2026-03-22' };
  const request = { action: 'mark settlement', input: again } as const;
  expect((await ask(request)).preview).not.toContain('earlier mark');
  await mark('60', 'unexplained');
  const asked = await ask(request);
  expect(asked.preview.split('\n').slice(2)).toEqual([
    'The bank’s reference: SETTLE 4711.',
    expect.stringMatching(
      /^It takes the place of an earlier mark: 60 USD arrived on \S+, the rest is unexplained, reference S 1 \(bo: statement\)\.$/,
    ),
  ]);
  await mark('61', 'unexplained');
  expect(await approve(asked)).toBe('expired');
  expect(await approve(await ask(request))).toBe('approved');
});

it('whatever differs between two previews is told, up to a number, and nothing else is', () => {
  const line = fc.constantFrom('a: 1', 'a: 2', 'b: 1', 'b: 2', 'in all 7', 'in all 8', 'c');
  const preview = fc.uniqueArray(line, { maxLength: 5 });
  fc.assert(
    fc.property(preview, preview, (shown, now) => {
      const told = whatDiffers(shown, now);
      const quoted = [...told.matchAll(/“([^”]*)”/g)].map(([, one]) => one);
      const differing = [...shown, ...now].filter((one) => shown.includes(one) !== now.includes(one));
      expect(quoted).toHaveLength(differing.length);
      expect(new Set(quoted)).toEqual(new Set(differing));
      expect(told.includes('each line of it is the same')).toBe(differing.length === 0);
    }),
  );
});

it('a closing that is approved looks for its income in doubt once', async () => {
  const asked = await ask({ action: 'close period', input: { month: '2026-03' } });
  const found: string[] = [];
  const hear = ({ sql }: { sql: string }) => void (sql.includes('SELECT NULL, id, payment, value') && found.push(sql));
  database.db.on('query', hear);
  const state = await approve(asked);
  database.db.off('query', hear);
  expect([state, found.length]).toEqual(['approved', 1]);
});

it('nobody asks without a token of their own', async () => {
  const asked = { action: 'close period', input: { month: '2026-03' }, reason: 'known' } as const;
  const result = await askDecision(deps(), asked, { name: 'os:root', role: null });
  expect(result).toEqual({ outcome: 'refused', why: expect.stringContaining('set TALLYHOOK_TOKEN') });
});
