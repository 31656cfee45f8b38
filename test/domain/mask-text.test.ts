import { expect, it } from 'vitest';
import { maskEvidence, maskText } from '../../src/domain/personal.js';
import { AppError } from '../../src/errors.js';
import { describeError } from '../../src/records/database/database-errors.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { refusalOf } from '../../src/service-api/refusal-of.js';

it.each([
  ['sent to ann.lee+shop@example.co.uk, bounced', 'sent to [masked], bounced'],
  ['<Ann.Lee@example.com>: 550 no such user', '<[masked]>: 550 no such user'],
  ['mailto:ann@example.com.', 'mailto:[masked].'],
  ['to=ann@example.com;cc=bob@example.org', 'to=[masked];cc=[masked]'],
  ['ünï@exämple.com', '[masked]'],
  ['mobile money +237 6 99 12 34 56 refused', 'mobile money [masked] refused'],
  ['call +1 (555) 010-9999', 'call [masked]'],
])('strikes a person’s address or number out of a text: %s', (text, expected) => {
  expect(maskText(text)).toBe(expected);
  expect(maskText(expected)).toBe(expected);
});

it.each([
  'insufficient balance: 12.50 USDT.TRC20 of 13',
  'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE is not whitelisted',
  '2026-11-21T17:00:00.000+01:00',
  'fee +0.00012345',
  'gained +12345678.50',
  '1 @ 2',
  'https://shop.example.com/webhooks',
])('leaves everything else: %s', (text) => expect(maskText(text)).toBe(text));

it.each([
  ['no separator at all', 'x'.repeat(60_000), '@'],
  ['nothing but dots behind the sign', 'a@', '.'.repeat(60_000)],
  ['a sign in every second place', 'a@'.repeat(30_000), '.'],
])('takes time as the text is long, not as its square: %s', (_what, before, after) => {
  const start = performance.now();
  maskText(before + after);
  maskEvidence({ theirs: { failureReason: before + after } }, 'payment_intent');
  expect(performance.now() - start).toBeLessThan(1_000);
});

it('strikes an address out whole, however long its parts are', () => {
  const long = `${'x'.repeat(300)}@${'y.'.repeat(300)}example.com`;
  expect(maskText(`to ${long}, bounced`)).toBe('to [masked], bounced');
});

it('masks what a difference says of people, and the names that it shows elsewhere; what records are joined by stays', () => {
  const masked = maskEvidence(
    {
      theirs: { failureReason: 'Ann Lee <ann@example.com> is blocked', customerName: 'Ann Lee', amount: '1.50' },
      ours: { merchantReference: 'ann@example.com', accountId: 'a@b.cd', list: ['x ann@example.com', null, true] },
    },
    'payment_intent',
  );
  expect(masked).toEqual({
    theirs: { failureReason: '[masked] <[masked]> is blocked', customerName: '[masked]', amount: '1.50' },
    ours: { merchantReference: 'ann@example.com', accountId: 'a@b.cd', list: ['x [masked]', null, true] },
  });
});

it('keeps them out of errors that are stored and shown', () => {
  class Failed extends AppError {
    readonly code = 'failed';
  }
  expect(describeError(new Failed('no account of ann@example.com'))).toBe('failed: no account of [masked]');
  const body = Buffer.from(JSON.stringify({ code: 'NO', message: 'ann@example.com has no wallet' }));
  const refusal = refusalOf(
    { operation: 'createTransfer', status: 400, body, retryAfterMs: null },
    { error: defaultContract.error, secret: 'sk_1' },
  );
  expect(refusal.message).not.toContain('ann@');
  expect(refusal.message).toContain('[masked] has no wallet');
});

it('strikes known names out, the longest first, but none of two letters: they stand in too many words', () => {
  expect(maskText('Ann Lee and Ann and Bo, boat', ['Ann', 'Ann Lee', 'Bo'])).toBe('[masked] and [masked] and Bo, boat');
  expect(maskText('Bob', ['Bob'])).toBe('[masked]');
});

it('masks a name of two letters where it stands as one', () => {
  expect(maskEvidence({ firstName: 'Bo', note: 'Bo' }, 'payment_intent')).toEqual({
    firstName: '[masked]',
    note: 'Bo',
  });
});

it('searches for names in every text of a difference, also in lists, and leaves ids and what is no text alone', () => {
  const evidence = {
    all: [
      { email: 'Ann' },
      { email: null, phone: { note: 'Ann' } },
      { note: 'Ann', payoutId: 'Ann', id: 'Ann', n: [true, null, 'Ann'] },
    ],
  };
  expect(maskEvidence(evidence, 'payment_intent')).toEqual({
    all: [
      { email: '[masked]' },
      { email: null, phone: '[masked]' },
      { note: '[masked]', payoutId: 'Ann', id: 'Ann', n: [true, null, '[masked]'] },
    ],
  });
});
