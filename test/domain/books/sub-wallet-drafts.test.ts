import { describe, expect, it, test } from 'vitest';
import {
  attributionEntry,
  openingEntry,
  placementEntries,
  subWalletOpeningEntry,
} from '../../../src/domain/books/balance-entries.js';
import { entriesOf } from '../../../src/domain/books/entries-of.js';
import type { Moved } from '../../../src/domain/books/entry.js';
import { transactionEntries } from '../../../src/domain/books/transaction-entries.js';
import { AT, ISO, line, moved, record, written } from './draft-records.js';

describe('a transaction of a sub-wallet', () => {
  const choices = { transferFee: 'operating', payments: 'intent' } as const;
  const wallet = (operation: Moved['operation'], delta: string | null, about: Partial<Moved> = {}) =>
    moved(operation, delta, { account: 'a1', at: ISO, ...about });
  const fields = { feeAmount: '1', createdAt: ISO };
  const of = (...all: Moved[]) => transactionEntries(record('transaction', fields, ...all), choices);

  it('is a fact of its operation: what it holds is owed', () => {
    expect(of(wallet('accountDeposit', '5'))).toEqual([
      {
        recordKind: 'transaction',
        recordId: 'r1',
        key: 'accountDeposit',
        mode: 'fact',
        lines: [line('assets:sub-wallets:a1', '5'), line('liabilities:customers:a1', '-5')],
        description: 'deposit to a sub-wallet',
        sources: [{ kind: 'transaction', id: 'r1' }],
        dated: { at: AT, by: 'created' },
      },
    ]);
  });

  const OWN = (amount: string, owed: string) => [`assets:sub-wallets:a1 ${amount}`, `liabilities:customers:a1 ${owed}`];
  it.each<[string, Moved[], string[][]]>([
    ['that nobody knows', [moved(null, '5')], []],
    ['that is not clear', [wallet('accountDeposit', '5', { part: 'unclear' })], []],
    ['of an unknown amount', [wallet('accountDeposit', null)], []],
    ['of an unknown asset', [wallet('accountDeposit', '5', { assetCode: null })], []],
    [
      'that is a payout takes the debit out of transit',
      [wallet('accountPayout', '-6')],
      [
        [
          'assets:in-transit:payouts 6',
          'assets:sub-wallets:a1 -6',
          'equity:withdrawals -5',
          'expenses:fees:service -1',
          'liabilities:customers:a1 6',
        ],
      ],
    ],
    [
      'that is a payout of an unknown amount beside it',
      [wallet('accountPayout', '-6'), wallet('accountPayout', null), moved('accountPayout', null)],
      [
        [
          'assets:in-transit:payouts 6',
          'assets:sub-wallets:a1 -6',
          'equity:withdrawals -5',
          'expenses:fees:service -1',
          'liabilities:customers:a1 6',
        ],
      ],
    ],
    [
      'that is a payout since the opening in part',
      [wallet('accountPayout', '-6', { base: '-2' })],
      [
        [
          'assets:in-transit:payouts 4',
          'assets:sub-wallets:a1 -4',
          'equity:withdrawals -4',
          'liabilities:customers:a1 4',
        ],
      ],
    ],
    [
      'that is closed',
      [wallet('accountClose', '-5'), moved('accountClose', '5')],
      [
        [
          'assets:operating 5',
          'assets:sub-wallets:a1 -5',
          'liabilities:closed-wallets -5',
          'liabilities:customers:a1 5',
        ],
      ],
    ],
    [
      'to the operating balance',
      [wallet('transferToOperating', '-10'), moved('transferToOperating', '10')],
      [
        [
          'assets:operating 10',
          'assets:sub-wallets:a1 -10',
          'income:fees:transfers -1',
          'income:sub-wallets -9',
          'liabilities:customers:a1 10',
        ],
      ],
    ],
    [
      'from the operating balance',
      [wallet('transferFromOperating', '9'), moved('transferFromOperating', '-9')],
      [
        [
          'assets:operating -9',
          'assets:sub-wallets:a1 9',
          'expenses:sub-wallets 10',
          'income:fees:transfers -1',
          'liabilities:customers:a1 -9',
        ],
      ],
    ],
    [
      'to another',
      [wallet('transferToAccount', '-10'), moved('transferToAccount', '1')],
      [['assets:operating 1', 'assets:sub-wallets:a1 -10', 'income:fees:transfers -1', 'liabilities:customers:a1 10']],
    ],
    ['from another', [wallet('transferFromAccount', '9')], [OWN('9', '-9')]],
    [
      'of two operations',
      [wallet('accountDeposit', '5'), wallet('transferFromAccount', '9')],
      [OWN('5', '-5'), OWN('9', '-9')],
    ],
  ])('%s', (_name, all, expected) => expect(written(of(...all))).toEqual(expected));

  it('has no fee where none is shown, or where it is nobody’s', () => {
    const both = [wallet('transferToOperating', '-10'), moved('transferToOperating', '10')];
    const plain = [
      ['assets:operating 10', 'assets:sub-wallets:a1 -10', 'income:sub-wallets -10', 'liabilities:customers:a1 10'],
    ];
    const nobody = { ...choices, transferFee: 'nobody' } as const;
    expect(written(transactionEntries(record('transaction', fields, ...both), nobody))).toEqual(plain);
    for (const shown of [null, { feeAmount: null }])
      expect(written(transactionEntries(record('transaction', shown, ...both), choices))).toEqual(plain);
    const negative = transactionEntries(record('transaction', { feeAmount: '-1' }, ...both), choices);
    expect(written(negative)[0]).toContain('income:fees:transfers 1');
  });
});

describe('what a balance says', () => {
  const opening = { assetCode: 'BTC', balance: '5', at: AT };

  it('is a state: its opening, and that of a sub-wallet', () => {
    const about = {
      recordKind: 'opening',
      recordId: 'BTC',
      mode: 'state',
      sources: [{ kind: 'balance', id: 'BTC' }],
      dated: { at: AT, by: 'opening' },
    };
    expect(openingEntry(opening)).toEqual({
      ...about,
      key: 'operating',
      lines: [line('assets:operating', '5'), line('equity:opening', '-5')],
      description: 'opening balance',
    });
    expect(subWalletOpeningEntry('a1', opening)).toEqual({
      ...about,
      key: 'account:a1',
      lines: [line('assets:sub-wallets:a1', '5'), line('liabilities:customers:a1', '-5')],
      description: 'opening balance of a sub-wallet',
    });
    expect(openingEntry({ ...opening, balance: '0' }).lines).toEqual([]);
  });

  it('is a fact where finance attributed a part of it, on the day that was named', () => {
    const said = { note: 'a fee', actor: 'ann', contra: null, rebooked: null, decision: null, approvedBy: null };
    const given = { ...said, id: 'at_1', assetCode: 'BTC', amount: '-2', at: AT };
    const entry = {
      recordKind: 'attribution',
      recordId: 'at_1',
      key: 'attribution',
      mode: 'fact',
      lines: [line('assets:operating', '-2'), line('equity:unobservable', '2')],
      description: 'a fee (attribution at_1 by ann)',
      sources: [
        { kind: 'attribution', id: 'at_1' },
        { kind: 'balance', id: 'BTC' },
      ],
    };
    expect(attributionEntry({ ...given, day: null })).toStrictEqual({ ...entry, dated: { at: AT, by: 'attributed' } });
    expect(attributionEntry({ ...given, day: '2026-01-30' }).dated).toEqual({
      at: AT,
      by: 'attributed',
      day: '2026-01-30',
    });
  });

  it('places payouts in transit under their keys, and what is distinguished beyond that in the last of them', () => {
    const month = (name: string, amount: string) => ({ key: name, amount, day: `${name}-09`, lastAt: AT });
    const months = [month('2026-02', '3'), month('2026-01', '2')];
    const placed = { isPlaced: true, correction: '1' };
    const pair = (amount: string) => [
      line('assets:in-transit:payouts', `-${amount}`),
      line('assets:operating', amount),
    ];
    const entries = placementEntries('BTC', months, placed);
    expect(entries.map(({ key, lines }) => [key, lines])).toEqual([
      ['2026-02', pair('4')],
      ['2026-01', pair('2')],
    ]);
    expect(entries[0]).toEqual({
      recordKind: 'placement',
      recordId: 'BTC',
      key: '2026-02',
      mode: 'state',
      lines: pair('4'),
      description: 'payouts that no sub-wallet shows: the operating balance paid them',
      sources: [{ kind: 'balance', id: 'BTC' }],
      dated: { at: AT, by: 'placed', day: '2026-02-09' },
    });
    expect(placementEntries('BTC', months, { ...placed, isPlaced: false }).map(({ lines }) => lines)).toEqual([[], []]);
  });
});

test('parts of one record with one key are one entry', () => {
  const choices = { transferFee: 'operating', payments: 'intent' } as const;
  const [one, other] = [moved('payout', '-6', { base: '-4' }), moved('refund', '-3')];
  const drafts = entriesOf(record('payout', null, one, other), choices);
  expect(drafts.map(({ key, description }) => [key, description])).toEqual([['payout', 'payout']]);
  expect(written(drafts)).toEqual([['assets:operating -5', 'equity:withdrawals 2', 'income:refunds 3']]);
});
