import fc from 'fast-check';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { MASK, maskPersonal, personalKinds } from '../../src/domain/personal.js';

test('e-mail, name, telephone and the address for refunds are struck out, however deep they stand', () => {
  const masked = maskPersonal('payment_intent', {
    id: 'pi_1',
    status: 'completed',
    amountRequested: '25.00',
    merchantReference: 'order-1',
    customerEmail: 'ada@example.test',
    customerName: null,
    customerRefundAddress: 'T123',
    metadata: { customer: { firstName: 'Ada', lastName: 'L', phoneNumber: '+49', refundAddress: 'T1', size: 'XL' } },
    payins: [{ id: 'pay_1', senderAddress: 'T999', amountGross: '25.00' }],
  });
  expect(masked).toEqual({
    id: 'pi_1',
    status: 'completed',
    amountRequested: '25.00',
    merchantReference: 'order-1',
    customerEmail: MASK,
    customerName: null,
    customerRefundAddress: MASK,
    metadata: { customer: { firstName: MASK, lastName: MASK, phoneNumber: MASK, refundAddress: MASK, size: 'XL' } },
    payins: [{ id: 'pay_1', senderAddress: 'T999', amountGross: '25.00' }],
  });
});

test('a payout to an e-mail address and the label of a sub-wallet tell of a person, a reference and an id do not', () => {
  const payout = { id: 'a@b.example', destinationAddress: 'eve@example.test', merchantReference: 'bob@example.test' };
  expect(maskPersonal('payout', payout)).toEqual({ ...payout, destinationAddress: MASK });
  expect(maskPersonal('payout', { destinationAddress: 'TXYZ', label: 'till 4' })).toEqual({
    destinationAddress: 'TXYZ',
    label: 'till 4',
  });
  expect(maskPersonal('account', { id: 'wa_1', label: 'Grace H.', externalRef: 'g@example.test' })).toEqual({
    id: 'wa_1',
    label: MASK,
    externalRef: 'g@example.test',
  });
});

const anyRecord = fc.dictionary(
  fc.oneof(
    fc.constantFrom('customerEmail', 'email', 'label', 'status', 'amount', 'metadata', 'merchantReference'),
    fc.string(),
  ),
  fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant('ada@example.test')),
);

test('whatever the record: masking twice is masking once, and only personal values differ from before', () => {
  fc.assert(
    fc.property(fc.constantFrom(...personalKinds), anyRecord, (kind, plain) => {
      const fields = parse(JSON.stringify(plain)) as JsonObject;
      const masked = maskPersonal(kind, fields);
      expect(canonicalJson(maskPersonal(kind, masked))).toBe(canonicalJson(masked));
      expect(leaves(masked).filter((leaf) => leaf !== MASK).length).toBeLessThanOrEqual(leaves(fields).length);
      for (const leaf of leaves(masked)) if (leaf !== MASK) expect(leaves(fields)).toContain(leaf);
      for (const name of ['status', 'amount', 'merchantReference']) {
        if (typeof fields[name] === 'string') expect(masked[name]).toBe(fields[name]);
      }
    }),
  );
});

test('a record that tells of nobody is the very same record', () => {
  const fields: JsonObject = { id: 'x', status: 'pending', meta: { items: [{ name: 'Mug', unitPrice: '1.00' }] } };
  expect(maskPersonal('invoice', fields)).toBe(fields);
});

function leaves(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (typeof value === 'object' && value !== null && !('isLosslessNumber' in value)) {
    return Object.values(value).flatMap(leaves);
  }
  return [value === MASK ? MASK : canonicalJson(value)];
}
