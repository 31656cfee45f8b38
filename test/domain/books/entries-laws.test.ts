import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accounts } from '../../../src/domain/books/chart.js';
import { entriesOf } from '../../../src/domain/books/entries-of.js';
import type { BookRecord, Draft, Line } from '../../../src/domain/books/entry.js';
import { netLines, unbalanced } from '../../../src/domain/books/lines.js';
import { passedDisputes } from '../../../src/domain/books/passed-disputes.js';
import { type Append, keyOf, type Posted, planPosting } from '../../../src/domain/books/plan-posting.js';
import { dayIn, periodOf } from '../../../src/domain/books/posting-month.js';
import { sumAmounts } from '../../../src/domain/money.js';
import { defaultContract } from '../../../src/service-api/contract.js';
import { sized } from '../../support/sizes.js';
import { disputed, disputedAt } from './disputed-history.js';
import { explainedBy, histories, recordAt } from './history.js';

const RUNS = sized(20, 2_500);
/** On a busy machine the long setting takes most of a minute for each law. */
const LIMIT_MS = process.env.TALLYHOOK_LONG ? 300_000 : 60_000;
const table = defaultContract.movements;
const byIntent = table;
const byPayin = {
  ...table,
  choices: { ...table.choices, payments: 'payins', networkFee: 'operating', transferFee: 'nobody' } as const,
};

/** The books in memory: what is appended, and what is read back of it. */
class Ledger {
  readonly entries: (Append & { id: string; month: string; bookedOn: string | null })[] = [];
  readonly closed = new Set<string>();

  post(records: readonly BookRecord[], choices = table.choices): number {
    const passed = records.flatMap((record) => passedDisputes(record, choices));
    const whole = records.flatMap((record) => entriesOf(record, choices));
    return [
      ...passed.map((drafts) => this.append(planPosting(drafts, this.posted(records, drafts)))),
      this.append(planPosting(whole, this.posted(records))),
    ].reduce((sum, count) => sum + count, 0);
  }

  append(appends: readonly Append[]): number {
    for (const append of appends) {
      const day = append.dated.day ?? dayIn('Europe/Berlin', append.dated.at);
      const { month, date } = periodOf(day, this.closed, { after: append.after });
      const bookedOn = date === day ? null : date;
      this.entries.push({ ...append, id: String(this.entries.length + 1), month, bookedOn });
    }
    return appends.length;
  }

  /** `drafts`: what is of other keys is left out. */
  posted(records: readonly BookRecord[], drafts?: readonly Draft[]): Posted[] {
    const wanted = drafts && new Set(drafts.map(keyOf));
    return this.all(records).filter((one) => wanted?.has(keyOf(one)) ?? true);
  }

  private all(records: readonly BookRecord[]): Posted[] {
    const asked = new Set(records.map(({ kind, id }) => `${kind} ${id}`));
    const keys = new Map<string, Ledger['entries']>();
    for (const entry of this.entries) {
      if (!asked.has(`${entry.recordKind} ${entry.recordId}`)) continue;
      const key = `${entry.recordKind} ${entry.recordId} ${entry.key}`;
      keys.set(key, [...(keys.get(key) ?? []), entry]);
    }
    return [...keys.values()].map((list) => {
      const last = list.at(-1)!;
      const reversed = new Set(list.map(({ reverses }) => reverses));
      const live = list.findLast(({ id, type }) => (type === 'entry' || type === 'correction') && !reversed.has(id));
      const { recordKind, recordId, key, version } = last;
      return {
        recordKind,
        recordId,
        key,
        version,
        live: live ?? null,
        net: netLines(list.flatMap(({ lines }) => lines)),
        last,
      };
    });
  }

  net(keep: (entry: { month: string }) => boolean = () => true): Line[] {
    return netLines(this.entries.filter(keep).flatMap(({ lines }) => lines));
  }

  operating(assetCode: string): string {
    const lines = this.net().filter((line) => line.account === accounts.operating && line.assetCode === assetCode);
    return sumAmounts(lines.map(({ amount }) => amount));
  }
}

describe.each([
  ['payments by the intent', byIntent],
  ['payments by payins, fees on the merchant', byPayin],
])('%s', (_, contract) => {
  test(
    'every entry adds up to zero, and the operating account is what the proof explains',
    () => {
      fc.assert(
        fc.property(histories, (given) => {
          const ledger = new Ledger();
          for (const place of [0, 1, 2, 3]) {
            const records = given.map((history) => recordAt(history, place, contract));
            ledger.post(records, contract.choices);
            for (const assetCode of ['BTC', 'USDT.TRON', 'SHIB.ETH', 'TRX'])
              expect(ledger.operating(assetCode)).toBe(explainedBy(records, assetCode));
          }
          for (const { lines } of ledger.entries) expect(unbalanced(lines)).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    LIMIT_MS,
  );

  test(
    'any order and any slicing of the same records ends in the same books, and posting them again posts nothing',
    () => {
      fc.assert(
        fc.property(
          histories.chain((given) =>
            fc.tuple(
              fc.constant(given),
              fc.array(fc.tuple(fc.nat(given.length - 1), fc.nat(3)), { maxLength: 12 }),
              fc.shuffledSubarray(
                given.map((_history, n) => n),
                { minLength: given.length },
              ),
            ),
          ),
          ([given, detours, order]) => {
            const last = given.map((history) => recordAt(history, 9, contract));
            const [plain, winding] = [new Ledger(), new Ledger()];
            plain.post(last, contract.choices);
            for (const [n, place] of detours) winding.post([recordAt(given[n]!, place, contract)], contract.choices);
            for (const n of order) winding.post([last[n]!], contract.choices);
            expect(winding.net()).toEqual(plain.net());
            expect(winding.post(last, contract.choices)).toBe(0);
          },
        ),
        { numRuns: RUNS },
      );
    },
    LIMIT_MS,
  );
});

test(
  'opening + activity = closing, and what is posted after a month was closed leaves it as it was',
  () => {
    fc.assert(
      fc.property(histories, (given) => {
        const ledger = new Ledger();
        ledger.post(given.map((history) => recordAt(history, 0, table)));
        const before = ledger.net(({ month }) => month <= '2026-11');
        ledger.closed.add('2026-10').add('2026-11');
        ledger.post(given.map((history) => recordAt(history, 9, table)));
        expect(ledger.net(({ month }) => month <= '2026-11')).toEqual(before);
        const activity = ledger.net(({ month }) => month === '2026-12');
        expect(netLines([...before, ...activity])).toEqual(ledger.net());
      }),
      { numRuns: RUNS },
    );
  },
  LIMIT_MS,
);

test(
  'each month ends with what the service held of a payment then, whenever it is disputed and decided, and however often it is posted',
  () => {
    fc.assert(
      fc.property(disputed, fc.array(fc.boolean()), fc.boolean(), (steps, late, isClosing) => {
        const ledger = new Ledger();
        const months = steps.map(({ at }) => dayIn('Europe/Berlin', at).slice(0, 7));
        for (const [n, month] of months.entries()) {
          // A month closes when something of a later one is seen.
          if (isClosing && !late.includes(true))
            for (const over of months.slice(0, n)) if (over < month) ledger.closed.add(over);
          // What is posted only later says as much.
          if (late[n] && n < steps.length - 1) continue;
          ledger.post([disputedAt(steps, n, table)]);
          expect(ledger.post([disputedAt(steps, n, table)])).toBe(0);
        }
        for (const { lines } of ledger.entries) expect(unbalanced(lines)).toEqual([]);
        for (const [n, month] of months.entries()) {
          if (months[n + 1] === month) continue;
          const lines = ledger.net((entry) => entry.month <= month);
          const held = lines.filter(({ account }) => account === accounts.operating).map(({ amount }) => amount);
          expect([month, sumAmounts(held)]).toEqual([month, steps[n]?.net]);
        }
      }),
      { numRuns: RUNS },
    );
  },
  LIMIT_MS,
);

test.each([
  ['with payins', true],
  ['without payins', false],
])(
  'whoever posts only now and then has the entries of who posted at once, %s',
  (_, hasPayins) => {
    const at = (steps: Parameters<typeof disputedAt>[0], n: number) => {
      const record = disputedAt(steps, n, table);
      return hasPayins ? record : { ...record, fields: { ...record.fields, payins: [] } };
    };
    const said = (ledger: Ledger) =>
      ledger.entries.map(({ key, dated, lines }) => JSON.stringify([key, dated.at, lines])).toSorted();
    let passed = 0;
    fc.assert(
      fc.property(disputed, fc.array(fc.boolean()), (steps, late) => {
        const [each, some] = [new Ledger(), new Ledger()];
        for (const n of steps.keys()) {
          each.post([at(steps, n)]);
          if (late[n] && n < steps.length - 1) passed += 1;
          else some.post([at(steps, n)]);
        }
        expect(said(some)).toEqual(said(each));
      }),
      { numRuns: RUNS },
    );
    expect(passed).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
