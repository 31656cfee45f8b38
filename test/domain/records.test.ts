import fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { breakKinds, severityOf } from '../../src/domain/break.js';
import type { JsonObject } from '../../src/domain/json.js';
import { amountViolations, recordKinds, recordRules, unlistedStates } from '../../src/domain/records.js';

const json = (text: string): JsonObject => parse(text) as JsonObject;

describe('records', () => {
  it('name every amount that is no decimal string, also inside the deposits of a payment', () => {
    const fields =
      json(`{"amountRequested": 10.50, "totalAmountReceived": "1e3", "amountRejected": null, "feeAmountTotal": "0.1",
      "amountInRange": {}, "paymentResult": {"amount": 1}, "payins": [{"amountGross": "1"}, {"amountNet": 12345678901234567890, "feeAmount": true}, null]}`);
    expect(amountViolations('payment_intent', fields)).toEqual([
      { path: '/amountRequested', given: 'the number 10.50' },
      { path: '/totalAmountReceived', given: 'the string "1e3"' },
      { path: '/amountInRange', given: 'an object' },
      { path: '/payins/1/amountNet', given: 'the number 12345678901234567890' },
      { path: '/payins/1/feeAmount', given: 'the boolean true' },
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

describe('breaks', () => {
  it('are critical where money or an event may be lost', () => {
    expect(breakKinds.filter((kind) => severityOf(kind) === 'critical')).toEqual([
      'phantom_delivery',
      'record_not_at_service',
      'duplicate_payment',
      'refund_exceeds_net',
      'balance_residual',
      'id_collision',
      'event_not_sent',
    ]);
  });

  it('of the contract weigh by what they left unapplied', () => {
    expect([severityOf('contract_violation'), severityOf('contract_violation', true)]).toEqual(['low', 'critical']);
    expect(severityOf('secret_still_in_use', true)).toBe('low');
  });
});
