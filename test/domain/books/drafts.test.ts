import { describe, expect, it } from 'vitest';
import { payinEntries } from '../../../src/domain/books/entries-of.js';
import type { Moved } from '../../../src/domain/books/entry.js';
import { negatedLines, netLines, unbalanced } from '../../../src/domain/books/lines.js';
import { payoutEntries } from '../../../src/domain/books/payout-entries.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { AT, ISO, line, moved, record, written } from './draft-records.js';

describe('legs', () => {
  it('are one for each account and asset, in the order of their names, none of zero; a memo is none of them', () => {
    const memo = { ...line('b', '7'), memo: true };
    const all = [line('b', '1.50'), line('a', '2', 'ETH'), line('a', '3'), memo, line('b', '-0.5'), line('c', '0.0')];
    expect(netLines(all)).toEqual([line('a', '3'), line('b', '1'), line('a', '2', 'ETH'), memo]);
    expect(netLines(negatedLines(all))).toEqual([
      line('a', '-3'),
      line('b', '-1'),
      line('a', '-2', 'ETH'),
      { ...memo, amount: '-7' },
    ]);
  });

  it('add up to zero, asset by asset, without memos', () => {
    const lines = [line('a', '1'), line('b', '-1', 'ETH'), line('c', '2', 'TRX'), line('d', '-2', 'TRX')];
    expect(unbalanced(lines)).toEqual(['BTC', 'ETH']);
    expect(unbalanced([line('a', '1'), line('b', '-1'), { ...line('c', '5'), memo: true }])).toEqual([]);
    expect(unbalanced([line('a', '1'), { ...line('c', '-1'), memo: true }])).toEqual(['BTC']);
  });
});

describe('a payin', () => {
  const fields = { feeAmount: '1', paymentIntentId: 'pi_1', createdAt: ISO };

  it('is a fact: gross, fee and net, with the payment that it is of', () => {
    expect(payinEntries(record('payin', fields, moved('payinConfirmed', '9')))).toEqual([
      {
        recordKind: 'payin',
        recordId: 'r1',
        key: 'payin',
        mode: 'fact',
        lines: [line('assets:operating', '9'), line('expenses:fees:service', '1'), line('income:payments', '-10')],
        description: 'payin of a payment',
        sources: [
          { kind: 'payin', id: 'r1' },
          { kind: 'payment_intent', id: 'pi_1' },
        ],
        dated: { at: AT, by: 'created' },
      },
    ]);
  });

  it.each<[string, JsonObject | null, Moved, string[][]]>([
    ['of the merchant’s own', {}, moved('merchantDeposit', '9'), [['assets:operating 9', 'equity:deposits -9']]],
    ['of another merchant', {}, moved('internalTransferIn', '9'), [['assets:operating 9', 'equity:transfers -9']]],
    [
      'as far as it came since the opening',
      fields,
      moved('payinConfirmed', '9', { base: '4' }),
      [['assets:operating 5', 'income:payments -5']],
    ],
    ['that was taken back', fields, moved('payinConfirmed', '0'), [[]]],
    [
      'that the service shows no more',
      null,
      moved('payinConfirmed', '9'),
      [['assets:operating 9', 'income:payments -9']],
    ],
    ['of an unknown amount', fields, moved('payinConfirmed', null), []],
    ['of an unknown asset', fields, moved('payinConfirmed', '9', { assetCode: null }), []],
    ['that is not clear', fields, moved('payinConfirmed', '9', { part: 'unclear' }), []],
    ['that is none', fields, moved('payout', '9'), []],
  ])('%s', (_name, shown, effect, expected) => {
    const drafts = payinEntries(record('payin', shown, effect));
    expect(written(drafts)).toEqual(expected);
    if (shown === null) expect(drafts[0]?.sources).toEqual([{ kind: 'payin', id: 'r1' }]);
  });

  it('is dated by when it was confirmed', () => {
    const statusHistory = [{ status: 'confirmed', at: '2026-01-31T11:00:00Z' }];
    const [draft] = payinEntries(record('payin', { ...fields, statusHistory }, moved('payinConfirmed', '9')));
    expect(draft?.dated).toEqual({ at: AT + 3_600_000, by: 'status_history' });
  });
});

describe('a payout', () => {
  const ours = { feeBearer: 'merchant', feeAmount: '1', createdAt: ISO };
  const gas = { networkFeeAmount: '3', networkFeeAssetCode: 'TRX', status: 'confirmed', assetCode: 'BTC' };
  const of = (fields: JsonObject | null, ...all: Moved[]) => payoutEntries(record('payout', fields, ...all));

  it('is a fact: what it debited, with the fee that the merchant bears', () => {
    const about = { recordKind: 'payout', recordId: 'r1', mode: 'fact', sources: [{ kind: 'payout', id: 'r1' }] };
    const dated = { at: AT, by: 'created' };
    const lines = [line('assets:operating', '-6'), line('expenses:fees:service', '1'), line('equity:withdrawals', '5')];
    const payout = { ...about, dated, key: 'payout', lines, description: 'payout' };
    expect(of(ours, moved('payout', '-6'))).toEqual([payout]);
    const fee = moved('networkFee', '-3', { assetCode: 'TRX' });
    const borne = [line('assets:operating', '-3', 'TRX'), line('expenses:fees:network', '3', 'TRX')];
    expect(of({ ...ours, ...gas }, moved('payout', '-6'), fee)).toEqual([
      payout,
      { ...about, dated, key: 'network-fee', lines: borne, description: 'network fee of a payout' },
    ]);
    expect(of({ ...ours, ...gas }, moved('payout', '-6'))[1]).toEqual({
      ...about,
      dated,
      key: 'network-fee',
      lines: [{ ...line('expenses:fees:network', '3', 'TRX'), memo: true }],
      description: 'network fee of a payout; who bore it is not shown',
      opening: { assetCode: 'BTC', isSince: true },
    });
  });

  it.each<[string, JsonObject | null, Moved, string[][]]>([
    [
      'of nobody knows whom is in transit',
      ours,
      moved('payout', '-6', { part: 'unplaced' }),
      [['assets:in-transit:payouts -6', 'equity:withdrawals 5', 'expenses:fees:service 1']],
    ],
    [
      'to another merchant',
      ours,
      moved('internalPayout', '-6'),
      [['assets:operating -6', 'equity:transfers 5', 'expenses:fees:service 1']],
    ],
    [
      'that gives a payment back',
      ours,
      moved('refund', '-6'),
      [['assets:operating -6', 'expenses:fees:service 1', 'income:refunds 5']],
    ],
    [
      'that a dispute made',
      ours,
      moved('disputeRefund', '-6'),
      [['assets:operating -6', 'expenses:fees:service 1', 'income:refunds 5']],
    ],
    [
      'that settles',
      ours,
      moved('settlement', '-6'),
      [['assets:operating -6', 'equity:conversion 5', 'expenses:fees:service 1']],
    ],
    [
      'whose fee the customer bears',
      { ...ours, feeBearer: 'customer' },
      moved('payout', '-6'),
      [['assets:operating -6', 'equity:withdrawals 6']],
    ],
    [
      'whose fee is not shown',
      { ...ours, feeAmount: null },
      moved('payout', '-6'),
      [['assets:operating -6', 'equity:withdrawals 6']],
    ],
    [
      'that stood at the opening',
      ours,
      moved('payout', '-6', { base: '-2' }),
      [['assets:operating -4', 'equity:withdrawals 4']],
    ],
    ['that was taken back', ours, moved('payout', '0'), [[]]],
    ['that is gone', null, moved('payout', '-6'), [['assets:operating -6', 'equity:withdrawals 6']]],
    ['of an unknown amount', ours, moved('payout', null), []],
    ['of an unknown asset', ours, moved('payout', '-6', { assetCode: null }), []],
    ['that is not clear', ours, moved('payout', '-6', { part: 'unclear' }), []],
    ['that is none', ours, moved('accountPayout', '-6'), []],
  ])('%s', (_name, fields, effect, expected) => expect(written(of(fields, effect))).toEqual(expected));

  it.each<[string, JsonObject, Moved[], boolean]>([
    ['is a memo once it is confirmed', {}, [moved('payout', null, { base: null })], false],
    ['is one of what came after the opening', {}, [moved('payout', null)], true],
    ['is one where only another asset moved', {}, [moved('payout', '1', { assetCode: 'ETH' })], false],
  ])('its gas %s', (_name, more, all, isSince) => {
    const drafts = of({ ...gas, ...more }, ...all);
    expect(drafts.at(-1)?.opening).toEqual({ assetCode: 'BTC', isSince });
  });

  it.each<[string, JsonObject | null, Moved[]]>([
    ['it is not confirmed', { ...gas, status: 'pending' }, []],
    ['it is inside the opening', gas, [moved('refund', null, { base: '-1' })]],
    ['the gas has no amount', { ...gas, networkFeeAmount: null }, []],
    ['the gas has no asset', { ...gas, networkFeeAssetCode: null }, []],
    ['it has no asset itself', { ...gas, assetCode: null }, []],
    ['it is gone', null, []],
  ])('there is no memo of gas where %s', (_name, fields, all) => expect(of(fields, ...all)).toEqual([]));
});
