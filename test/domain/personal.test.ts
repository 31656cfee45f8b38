import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import {
  hideEvidence,
  hidePeople,
  MASK,
  maskEvidence,
  maskPersonal,
  personalKinds,
  replacePersonal,
} from '../../src/domain/personal.js';

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

test('a payout to an e-mail address and the label of a sub-wallet are personal, a reference and an id are not', () => {
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

const retention = readFileSync(new URL('../../docs/retention.md', import.meta.url), 'utf8');
const [, list = ''] = retention.match(/spelled exactly so: ([^;]+);/) ?? [];
const names = [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

test('docs/retention.md names the fields', () => {
  expect(names).toEqual(expect.arrayContaining(['customerEmail', 'fullName', 'telephone', 'birthDate', 'toEmail']));
});

test.each(names)('%s is personal, in every kind of record and in what is said of a difference', (name) => {
  for (const kind of personalKinds)
    expect(maskPersonal(kind, { a: [{ [name]: 'x' }] })).toEqual({ a: [{ [name]: '[masked]' }] });
  expect(maskEvidence({ ours: { [name]: 'Ann' }, note: 'Ann said' }, 'payment_intent')).toEqual({
    ours: { [name]: '[masked]' },
    note: '[masked] said',
  });
});

test('where personal data may be: in all kinds but those of the merchant’s own set-up and of no one', () => {
  expect(personalKinds).toEqual(['payment_intent', 'payin', 'invoice', 'payout', 'account', 'transaction']);
});

test('what a mail server said of an invoice is struck out where it names an address', () => {
  const said = (error: Json) => ({ emailDelivery: { error } });
  const bounced = said('550 no such user ann@example.test');
  expect(maskPersonal('invoice', bounced)).toEqual(said(MASK));
  expect(maskPersonal('payout', bounced)).toBe(bounced);
  for (const error of ['timed out', null, ['x@'], ['@'], { said: '@' }])
    expect(maskPersonal('invoice', said(error))).toEqual(said(error));
  expect(maskPersonal('invoice', { reason: 'of a@b, no address' })).toEqual({ reason: 'of a@b, no address' });
});

test('an e-mail address is struck out anywhere but in what records are found by; one has 320 characters at most', () => {
  const address = (length: number) => `${'a'.repeat(length - '@example.test'.length)}@example.test`;
  for (const name of ['id', 'externalRef', 'merchantReference', 'somebodyId', 'txid'])
    expect(maskPersonal('payout', { [name]: address(30) })).toEqual({ [name]: address(30) });
  expect(maskPersonal('payout', { note: address(320), list: [address(30), 'x'] })).toEqual({
    note: MASK,
    list: [MASK, 'x'],
  });
  for (const text of [address(321), 'a@b', '@example.test', 'a b@example.test', 'mailto:a@example.test', 'a@b@c.de'])
    expect(maskPersonal('payout', { note: text })).toEqual({ note: text });
});

test('what stands in the place of a personal value may be anything, and is made of that value', () => {
  const instead = (value: Json) => ({ instead: value });
  expect(replacePersonal('payin', 'email', 'a@b.cd', instead)).toEqual({ instead: 'a@b.cd' });
  const list: Json = ['x', { email: null }];
  expect(replacePersonal('payin', 'list', list, instead)).toBe(list);
});

test('who need not know people sees neither their fields nor their addresses in texts, nor a name that the record shows', () => {
  const fields = {
    id: 'x',
    label: 'Grace',
    customerName: 'Ann Lee',
    note: 'Ann Lee, ann@example.test, +49 30 1234567',
    amount: '1',
  };
  const hidden = { id: 'x', customerName: MASK, note: `${MASK}, ${MASK}, ${MASK}`, amount: '1' };
  expect(hidePeople('account', fields)).toEqual({ ...hidden, label: MASK });
  expect(hidePeople('payout', fields)).toEqual({ ...hidden, label: 'Grace' });
});

test('who need not know people sees neither what is short or no text in their fields, nor what a merchant put where it may put anything', () => {
  const ours = {
    customerName: 'Al',
    phone: ['1'],
    metadata: { a: 'b' },
    meta: ['c'],
    customer: { size: 'XL' },
    no: 'Al',
  };
  const hidden = { customerName: MASK, phone: MASK, metadata: MASK, meta: MASK, customer: MASK, no: 'Al' };
  expect(hideEvidence({ ours })).toEqual({ ours: hidden });
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

test('a record without personal data is the very same record', () => {
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

test('who need not know people sees no destination of a payout and no digest, and amounts as they are', () => {
  const address = 'TXYZabcdefghjkmnpqrstuvwxyz1234567';
  const digest = `hmac-sha256:${'0f'.repeat(32)}`;
  const fields = {
    amount: '1234.5',
    destinationAddress: address,
    destinationMemo: '123',
    failureReason: `no way to ${address}`,
    contactEmail: digest,
    said: [digest, { said: `was ${digest}` }],
  };
  expect(hidePeople('payout', fields)).toEqual({
    amount: '1234.5',
    destinationAddress: MASK,
    destinationMemo: MASK,
    failureReason: `no way to ${MASK}`,
    contactEmail: MASK,
    said: [MASK, { said: `was ${MASK}` }],
  });
  expect(maskPersonal('payout', fields)).toEqual(fields);
});

test('what a break says of a sub-wallet does not name its end user; a label of something else is shown', () => {
  const evidence = { ours: { label: 'Ann Miller' }, note: 'of Ann Miller' };
  expect(maskEvidence(evidence, 'account')).toEqual({ ours: { label: MASK }, note: `of ${MASK}` });
  expect(maskEvidence({ label: 'spare secret' }, 'secret')).toEqual({ label: 'spare secret' });
});
