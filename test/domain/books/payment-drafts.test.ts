import { describe, expect, it } from 'vitest';
import type { BookRecord, Draft, Moved } from '../../../src/domain/books/entry.js';
import { paymentEntries } from '../../../src/domain/books/payment-entries.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { AT, line, moved, record, written } from './draft-records.js';

const HOUR = 3_600_000;
const iso = (hours: number) => new Date(AT + hours * HOUR).toISOString();
const payin = (id: string, amountNet: string, feeAmount: string | null, about: JsonObject = {}): JsonObject => {
  return { id, assetCode: 'BTC', status: 'confirmed', amountNet, feeAmount, createdAt: iso(-2), ...about };
};
const PAID: JsonObject = {
  assetCode: 'BTC',
  status: 'completed',
  irregularStatus: 'none',
  amountNetMerchant: '9',
  feeAmountTotal: '1',
  createdAt: iso(-3),
  payins: [payin('d1', '6', '0.6'), payin('d2', '3', '0.4')],
};
const DISPUTED = { irregularStatus: 'pending_decision', amountRejected: '9' };
const brought = (delta: string | null = '9', about: Partial<Moved> = {}) => moved('paymentCollected', delta, about);
const payment = (fields: JsonObject | null, all: Moved[] = [brought()], dispute: BookRecord['dispute'] = null) => {
  return { ...record('payment_intent', fields === null ? null : { ...PAID, ...fields }, ...all), dispute };
};
const of = (...given: Parameters<typeof payment>) => paymentEntries(payment(...given), { payments: 'intent' });
const keys = (drafts: readonly Draft[]) => drafts.map(({ key }) => key);
const own = (drafts: readonly Draft[]) => drafts.find(({ key }) => key === 'payment');
const seen = (about: Partial<NonNullable<BookRecord['dispute']>> = {}): BookRecord['dispute'] => {
  return { begun: new Map(), netBefore: null, firstNet: '0', booksOpenedAt: AT, ...about };
};

describe('a payment', () => {
  it('is what each of its payins brought, what differs from their sum, and what is held', () => {
    const source = { kind: 'payment_intent', id: 'r1' };
    const about = { recordKind: 'payment_intent', recordId: 'r1', sources: [source] };
    const dated = { at: AT - 2 * HOUR, by: 'created' };
    const fact = { ...about, mode: 'fact', description: 'payin of a payment', dated };
    const legs = (net: string, fee: string, gross: string) => [
      line('assets:operating', net),
      line('expenses:fees:service', fee),
      line('income:payments', gross),
    ];
    expect(of({})).toEqual([
      { ...fact, key: 'payin:d1', lines: legs('6', '0.6', '-6.6'), sources: [source, { kind: 'payin', id: 'd1' }] },
      { ...fact, key: 'payin:d2', lines: legs('3', '0.4', '-3.4'), sources: [source, { kind: 'payin', id: 'd2' }] },
      { ...about, key: 'payment', mode: 'state', lines: legs('0', '0', '0'), description: 'payment', dated },
      {
        ...about,
        key: 'held',
        mode: 'state',
        lines: [line('assets:held:disputes', '0'), line('liabilities:disputes', '0')],
        description: 'dispute over',
        dated,
      },
    ]);
  });

  const WHOLE = ['assets:operating 9', 'expenses:fees:service 1', 'income:payments -10'];
  it.each<[string, JsonObject['payins']]>([
    ['is not named', [payin('d1', '6', '0.6'), { ...payin('d2', '3', '0.4'), id: null }]],
    ['has no net', [payin('d1', '6', '0.6'), { ...payin('d2', '3', '0.4'), amountNet: null }]],
    ['has a fee that is no amount', [payin('d1', '6', '0.6'), payin('d2', '3', 'x')]],
    ['is of another asset', [payin('d1', '6', '0.6'), payin('d2', '3', '0.4', { assetCode: 'ETH' })]],
    ['is named twice', [payin('d1', '6', '0.6'), payin('d1', '3', '0.4')]],
    ['is nowhere', null],
  ])('is one entry where one of its payins %s', (_name, payins = null) => {
    expect(keys(of({ payins }))).toEqual(['payment', 'held']);
    expect(written(of({ payins }))[0]).toEqual(WHOLE);
  });

  it.each<[string, JsonObject['payins'], string[], string[]]>([
    [
      'that are not confirmed do not count',
      [payin('d1', '6', '0.6'), payin('d2', '3', '0.4', { status: 'unmatched' })],
      ['payin:d1'],
      ['assets:operating 3', 'expenses:fees:service 0.4', 'income:payments -3.4'],
    ],
    [
      'that are no objects do not count',
      ['x', payin('d1', '6', '0.6')],
      ['payin:d1'],
      ['assets:operating 3', 'expenses:fees:service 0.4', 'income:payments -3.4'],
    ],
    [
      'without a fee have none',
      [payin('d1', '9', null)],
      ['payin:d1'],
      ['expenses:fees:service 1', 'income:payments -1'],
    ],
  ])('payins %s', (_name, payins, facts, rest) => {
    const drafts = of({ payins });
    expect(keys(drafts)).toEqual([...facts, 'payment', 'held']);
    expect(written(drafts).at(-2)).toEqual(rest);
  });

  it('is what it brought since the opening, without payins and fees that may be older', () => {
    const drafts = of({}, [brought('9', { base: '4' })]);
    expect(drafts[0]).toMatchObject({ key: 'payment', description: 'payment, as far as it came after the opening' });
    expect(written(drafts)).toEqual([['assets:operating 5', 'income:payments -5'], []]);
    expect(drafts[0]).not.toHaveProperty('firstDated');
  });

  it('is in another asset, too, where it moved one, or where it is gone', () => {
    const drafts = of({}, [brought(), brought('5', { assetCode: 'ETH' })]);
    expect(keys(drafts)).toEqual(['payin:d1', 'payin:d2', 'payment', 'payment:ETH', 'held']);
    expect(drafts[3]?.lines).toEqual([
      line('assets:operating', '5', 'ETH'),
      line('expenses:fees:service', '0', 'ETH'),
      line('income:payments', '-5', 'ETH'),
    ]);
    const gone = of(null);
    expect(keys(gone)).toEqual(['payment:BTC']);
    expect(written(gone)).toEqual([['assets:operating 9', 'income:payments -9']]);
  });

  it('is nothing where nothing is known of what it brought, and has no fee where that is nothing', () => {
    expect(keys(of({}, [brought(null)]))).toEqual(['held']);
    expect(keys(of({}, [brought('9', { assetCode: null })]))).toEqual(['held']);
    expect(keys(of({}, [moved('autoSettlement', '9')]))).toEqual(['held']);
    expect(keys(of({ assetCode: null }, []))).toEqual([]);
    expect(written(of({}, [brought('0')]))).toEqual([[], []]);
    expect(written(of({ feeAmountTotal: null, payins: null }))[0]).toEqual([
      'assets:operating 9',
      'income:payments -9',
    ]);
  });
});

describe('a payment that is disputed', () => {
  it('of which nothing counts any more: a dispute took back what its payins had brought', () => {
    const drafts = of(DISPUTED, []);
    expect(keys(drafts)).toEqual(['payin:d1', 'payin:d2', 'payment', 'held']);
    expect(written(drafts).slice(2)).toEqual([
      ['assets:operating -9', 'expenses:fees:service -1', 'income:payments 10'],
      ['assets:held:disputes 9', 'liabilities:disputes -9'],
    ]);
    expect(drafts.at(-1)?.description).toBe('dispute: the part in question');
    expect(own(drafts)).not.toHaveProperty('firstDated');
  });

  it.each<[string, JsonObject]>([
    ['it was never completed', { ...DISPUTED, status: 'unmatched' }],
    ['it is in no dispute', {}],
    ['its asset is not known', { ...DISPUTED, assetCode: null }],
  ])('nothing was taken back where %s', (_name, fields) => {
    expect(keys(of(fields, [])).filter((key) => key !== 'held')).toEqual([]);
  });

  it('nothing is taken back where payments are booked by their payins, nor what is booked already', () => {
    expect(keys(paymentEntries(payment(DISPUTED, []), { payments: 'payins' }))).toEqual(['held']);
    expect(keys(of(DISPUTED, [brought(null)]))).toEqual(['held']);
  });

  it('had its payins, though they are shown as unmatched since; one that was never completed had none', () => {
    const payins = [payin('d1', '9', '1', { status: 'unmatched' })];
    expect(keys(of({ ...DISPUTED, payins }))).toEqual(['payin:d1', 'payment', 'held']);
    expect(keys(of({ ...DISPUTED, payins, status: 'unmatched' }))).toEqual(['payment', 'held']);
    expect(keys(of({ payins }))).toEqual(['payment', 'held']);
  });

  it('of which nothing ever counted had no payins', () => {
    const never = { totalAmountReceived: '9', amountCryptoExpected: '100' };
    expect(keys(of({ ...DISPUTED, ...never }, []))).toEqual(['payment', 'held']);
    expect(keys(of({ ...DISPUTED, ...never }))).toEqual(['payin:d1', 'payin:d2', 'payment', 'held']);
  });

  it.each<[string, BookRecord['dispute'], boolean]>([
    ['all of it was taken back before the books were opened', seen(), false],
    ['a part of it was taken back before', seen({ firstNet: '1' }), true],
    ['nobody knows what was taken back before', seen({ firstNet: null }), true],
    ['the books are not open', seen({ booksOpenedAt: null }), true],
    ['a payin came just when they were opened', seen({ booksOpenedAt: AT - 2 * HOUR }), true],
    ['its payins came after they were opened', seen({ booksOpenedAt: AT - 3 * HOUR }), true],
  ])('%s: its payins are in the books is %s', (_name, dispute, isIn) => {
    expect(keys(of(DISPUTED, [brought()], dispute)).includes('payin:d1')).toBe(isIn);
  });

  it.each<[string, JsonObject, Moved, boolean]>([
    ['open', { payins: null, ...DISPUTED }, brought(), true],
    ['given back', { payins: null, irregularStatus: 'refunded' }, brought(), true],
    ['kept', { payins: null, irregularStatus: 'encashed' }, brought(), false],
    ['none', { payins: null }, brought(), false],
    ['open beside payins', DISPUTED, brought(), false],
    ['open since before the opening', { payins: null, ...DISPUTED }, brought('9', { base: '4' }), false],
  ])('%s: what is first posted of it stands where it was paid is %s', (_name, fields, effect, isFirst) => {
    const dated = { at: AT - 3 * HOUR, by: 'created' };
    const firstDated = own(of(fields, [effect]))?.firstDated;
    expect(firstDated).toEqual(isFirst ? dated : undefined);
  });

  it.each<[string, JsonObject, string, string[]]>([
    ['open', DISPUTED, 'dispute: the part in question', ['assets:held:disputes 9', 'liabilities:disputes -9']],
    ['open, nobody knows of what', { ...DISPUTED, amountRejected: null }, 'dispute pending_decision', []],
    ['given back', { ...DISPUTED, irregularStatus: 'refunded' }, 'dispute refunded', []],
    ['over', { ...DISPUTED, irregularStatus: 'none' }, 'dispute over', []],
  ])('holds what is in question as long as it is open: %s', (_name, fields, description, lines) => {
    const held = of(fields).at(-1);
    expect([held?.key, held?.description]).toEqual(['held', description]);
    expect(held && written([held])).toEqual([lines]);
  });
});
