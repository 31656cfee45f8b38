import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { isAssetCode } from '../../src/domain/asset-code.js';
import { deliveredReport } from '../../src/domain/deliveries/delivery-payload.js';
import { markOf } from '../../src/domain/events/event-key.js';
import { grouped } from '../../src/domain/grouped.js';
import type { JsonObject } from '../../src/domain/json.js';
import { readTable } from '../../src/domain/json-table/read-table.js';
import { createdKind, linksOfCall, namedFields } from '../../src/domain/own-calls.js';
import { amountViolations, recordKinds, recordRules, unlistedStates } from '../../src/domain/records.js';

const json = (text: string): JsonObject => parse(text) as JsonObject;

describe('records', () => {
  it('name every amount that is no decimal string, also inside the payins of a payment', () => {
    const fields =
      json(`{"amountRequested": 10.50, "totalAmountReceived": "1e3", "amountRejected": null, "feeAmountTotal": "0.1",
      "amountInRange": {}, "paymentResult": {"amount": 1}, "payins": [{"amountGross": "1"}, {"amountNet": 12345678901234567890, "feeAmount": true}, null]}`);
    expect(amountViolations('payment_intent', fields)).toEqual([
      { path: '/amountRequested', given: 'the number 10.50' },
      { path: '/totalAmountReceived', given: 'the string "1e3"' },
      { path: '/amountInRange', given: 'an object' },
      { path: '/payins/1/feeAmount', given: 'the boolean true' },
      { path: '/payins/1/amountNet', given: 'the number 12345678901234567890' },
    ]);
    expect(amountViolations('payin', json('{"amountGross":"1","kytRiskScore":99.5}'))).toEqual([
      { path: '/kytRiskScore', given: 'the number 99.5' },
    ]);
  });

  it('find nothing wrong with a record that lacks its amounts or has odd lists', () => {
    for (const text of ['{}', '{"payins":null}', '{"payins":"x"}', '{"payins":[]}', '{"amountRequested":"1"}']) {
      expect(amountViolations('payment_intent', json(text)), text).toEqual([]);
    }
  });

  it('name the states that the specification does not list', () => {
    expect(unlistedStates('payment_intent', json('{"status":"on_hold","irregularStatus":"none"}'))).toEqual([
      { field: 'status', value: 'on_hold' },
    ]);
    for (const kind of ['invoice', 'account'] as const) {
      expect(unlistedStates(kind, json('{"status":"odd"}')), kind).toEqual([{ field: 'status', value: 'odd' }]);
    }
    expect(unlistedStates('invoice', json('{"status":null}'))).toEqual([]);
  });

  it('take every state of payouts and payins: the specification implies more than it names (3.4, 3.5)', () => {
    fc.assert(
      fc.property(fc.constantFrom('payout' as const, 'payin' as const), fc.string(), (kind, status) => {
        expect(unlistedStates(kind, { status })).toEqual([]);
      }),
    );
  });

  it('have columns out of their fields, each once', () => {
    for (const kind of recordKinds) {
      const names = recordRules[kind].columns.map((column) => column.name);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toContain('created_at');
    }
  });
});

describe('our own creating calls', () => {
  it('make a record of one kind each; what makes none that is kept makes nothing', () => {
    const operations = ['createDirectPayment', 'createInvoice', 'createPayout', 'createRefund', 'createTransfer'];
    expect(operations.map(createdKind)).toEqual(['payment_intent', 'invoice', 'payout', 'payout', null]);
  });

  it('say what their record belongs to: a refund its payment, a payout the account that pays', () => {
    const request = { paymentIntentId: 'pi_1', merchantReference: 'A-1', amount: '1' };
    const links = (operation: string) => namedFields(linksOfCall(operation, { path: { id: 'acc_1' }, request }));
    expect(links('createRefund')).toEqual({ paymentIntentId: 'pi_1', merchantReference: 'A-1' });
    expect(links('createPayout')).toEqual({ accountId: 'acc_1', merchantReference: 'A-1' });
    expect(links('createInvoice')).toEqual({ merchantReference: 'A-1' });
    expect(linksOfCall('createPayout', { path: {}, request: { merchantReference: null } })).toEqual({
      paymentIntentId: null,
      merchantReference: null,
      accountId: null,
    });
  });
});

describe('what a delivery says of a record', () => {
  const payout = { id: 'po_1', amount: '5', status: 'pending' };
  const plain = ['object', 'record', 'resource', 'payload', 'data'];

  it('stands in its data, or in a wrapper of it, at most four deep; what is further in counts', () => {
    const wrappers = { payout: ['payout', 'refund', 'withdrawal', ...plain], invoice: ['invoice', ...plain] };
    for (const kind of ['payout', 'invoice'] as const)
      for (const wrapper of ['', ...wrappers[kind]]) {
        const data: JsonObject = wrapper === '' ? payout : { note: 'x', [wrapper]: payout };
        expect(deliveredReport(kind, 'other', data, 'po_1'), `${kind} in ${wrapper}`).toEqual(payout);
      }
    const wrapped = (times: number): JsonObject => (times === 0 ? payout : { data: wrapped(times - 1) });
    expect([4, 5].map((times) => deliveredReport('payout', 'other', wrapped(times), 'po_1'))).toEqual([payout, null]);
    expect(deliveredReport('payout', 'other', { id: 'po_1', note: 'of the wrapper', data: payout }, 'po_1')).toEqual(
      payout,
    );
    expect(deliveredReport('payout', 'other', { data: null, ...payout }, 'po_1')).toEqual({ data: null, ...payout });
    expect(deliveredReport('payout', 'other', { invoice: payout }, 'po_1')).toBeNull();
    expect(deliveredReport('payout', 'other', { data: payout }, 'po_2')).toBeNull();
  });

  it('is its name alone, where another record names it', () => {
    for (const name of ['payoutId', 'payout_id'])
      expect(deliveredReport('payout', 'x', { [name]: 'po_1', status: 'sent' }, 'po_1')).toEqual({ id: 'po_1' });
    for (const name of ['invoiceId', 'invoice_id'])
      expect(deliveredReport('invoice', 'x', { [name]: 'in_1', status: 'sent' }, 'in_1')).toEqual({ id: 'in_1' });
    expect(deliveredReport('payout', 'x', { invoiceId: 'po_1' }, 'po_1')).toBeNull();
  });

  it('has the state of its event, where it names none and the event’s is a state of its kind', () => {
    const said = (type: string, data: JsonObject) => deliveredReport('payout', type, data, 'po_1')?.['status'];
    expect(said('payout.failed', { id: 'po_1' })).toBe('failed');
    expect(said('payout.failed', { id: 'po_1', status: null })).toBe('failed');
    expect(said('payout.failed', { id: 'po_1', status: 'confirmed' })).toBe('confirmed');
    expect(said('payout.created', { id: 'po_1' })).toBeUndefined();
    expect(said('refund.failed', { id: 'po_1' })).toBeUndefined();
    expect(deliveredReport('invoice', 'invoice.paid', { invoiceId: 'in_1' }, 'in_1')).toEqual({
      id: 'in_1',
      status: 'paid',
    });
  });
});

it('the mark of a test event counts as an own member of its envelope, with its own word', () => {
  const mark = (envelope: object) => markOf(readTable(JSON.stringify(envelope), 9));
  expect(mark({ tallyhook: 'trigger' })).toBe('trigger');
  expect([mark({ tallyhook: 'other' }), mark({}), mark({ data: { tallyhook: 'trigger' } })]).toEqual([
    null,
    null,
    null,
  ]);
  expect([mark({ tallyhook: ['trigger'] }), mark(['tallyhook', 'trigger'])]).toEqual([null, null]);
});

it('an asset code is 1 to 32 capitals, digits, dots, dashes and underscores', () => {
  const good = ['EUR', 'USDT.TRC20', 'A', '1INCH', 'A-B_C', 'A'.repeat(32)];
  const bad = ['', 'eur', 'USDT TRC20', 'EUR\n', 'É', 'A'.repeat(33)];
  expect([good.filter((text) => !isAssetCode(text)), bad.filter(isAssetCode)]).toEqual([[], []]);
});

it('what is grouped keeps its order in each group, and the groups that of their first', () => {
  expect([...grouped(['bb', 'a', 'cc', 'd'], (text) => text.length)]).toEqual([
    [2, ['bb', 'cc']],
    [1, ['a', 'd']],
  ]);
});
