import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  classifyAgainAt,
  classifyDelivery,
  type DeliveryFacts,
  deliveryClasses,
  GIVE_UP_MS,
} from '../../src/domain/deliveries/delivery-class.js';
import { boundedTimestamp, deliveredEvent } from '../../src/domain/deliveries/delivery-payload.js';
import { isOwnUrl } from '../../src/domain/deliveries/endpoint-rules.js';

const MINUTE = 60_000;
const NOW = 1_800_000_000_000;
const clock = { now: NOW, graceMs: 15 * MINUTE, adoptedAt: NOW - 1_000 * MINUTE, giveUpMs: 500 * MINUTE };

/** A delivery an hour old that failed without reaching us. */
const base: DeliveryFacts = {
  ours: true,
  pending: false,
  httpStatus: null,
  createdAt: NOW - 60 * MINUTE,
  lastAttemptAt: NOW - 60 * MINUTE,
  nextRetryAt: null,
  held: null,
  applied: false,
  rejection: null,
  secretRetired: false,
  recoverable: true,
};

type Line = [string, Partial<DeliveryFacts>, string, { missed?: boolean; recover?: boolean; breakKind?: string }];
const missed = (breakKind: string) => ({ missed: true, recover: true, breakKind });

describe('what became of a delivery', () => {
  const lines: Line[] = [
    ['it is here', { held: 'own', httpStatus: 200, applied: true }, 'received', {}],
    ['it is here, not applied yet: that is the inbox’s matter', { held: 'own' }, 'received', {}],
    [
      'it is here though the service heard no answer',
      { held: 'own', pending: true, nextRetryAt: NOW + 1 },
      'received',
      {},
    ],
    ['it came by the other endpoint', { held: 'sibling', rejection: 'invalid_signature' }, 'received_sibling', {}],
    ['a retry lies ahead', { pending: true, nextRetryAt: NOW + 1 }, 'pending_retry', {}],
    ['a retry lies ahead, whatever the service calls it', { nextRetryAt: NOW + 1 }, 'pending_retry', {}],
    ['a retry lies ahead of an answer of 2xx', { nextRetryAt: NOW + 1, httpStatus: 200 }, 'pending_retry', {}],
    ['pending and young', { pending: true, createdAt: NOW - MINUTE, lastAttemptAt: null }, 'pending_retry', {}],
    ['pending, tried a minute ago', { pending: true, lastAttemptAt: NOW - MINUTE }, 'pending_retry', {}],
    [
      'pending, and nothing since for longer than the grace',
      { pending: true },
      'never_reached',
      missed('missed_webhook'),
    ],
    [
      'pending without any time at all',
      { pending: true, createdAt: null, lastAttemptAt: null },
      'never_reached',
      missed('missed_webhook'),
    ],
    ['it never reached us', {}, 'never_reached', missed('missed_webhook')],
    ['somebody else answered', { httpStatus: 502 }, 'never_reached', missed('missed_webhook')],
    ['a redirect', { httpStatus: 301 }, 'never_reached', missed('missed_webhook')],
    ['we refused it', { httpStatus: 401, rejection: 'invalid_signature' }, 'rejected', missed('rejected_delivery')],
    ['noted as answered, and we hold nothing', { httpStatus: 200 }, 'phantom', missed('phantom_delivery')],
    ['204 is a success too', { httpStatus: 204 }, 'phantom', missed('phantom_delivery')],
    ['not at the grace yet', { createdAt: NOW - 15 * MINUTE + 1 }, 'never_reached', {}],
    ['at its end', { createdAt: NOW - 15 * MINUTE }, 'never_reached', missed('missed_webhook')],
    ['a phantom within the grace', { createdAt: NOW - MINUTE, httpStatus: 200 }, 'phantom', {}],
    ['older than adoption', { createdAt: clock.adoptedAt - 1 }, 'never_reached', {}],
    ['of the moment of adoption', { createdAt: clock.adoptedAt }, 'never_reached', missed('missed_webhook')],
    [
      'nothing to recover it from',
      { recoverable: false },
      'never_reached',
      { ...missed('missed_webhook'), recover: false },
    ],
    ['recovered, not applied', { held: 'recovered' }, 'never_reached', { ...missed('missed_webhook'), recover: false }],
    ['recovered and applied', { held: 'recovered', applied: true, httpStatus: 200 }, 'phantom', {}],
    [
      'refused under a retired secret',
      { rejection: 'invalid_signature', secretRetired: true },
      'rejected',
      { missed: true, recover: true },
    ],
    [
      'the same with nothing to recover it from',
      { rejection: 'invalid_signature', secretRetired: true, recoverable: false },
      'rejected',
      { missed: true, breakKind: 'rejected_delivery' },
    ],
    ['lost under a retired secret', { secretRetired: true }, 'never_reached', missed('missed_webhook')],
    [
      'recovered already, refused under a retired secret',
      { rejection: 'invalid_signature', secretRetired: true, recoverable: false, held: 'recovered' },
      'rejected',
      { missed: true },
    ],
    ['not ours', { ours: false, httpStatus: 200 }, 'other_endpoint', {}],
    ['300 is no success', { httpStatus: 300 }, 'never_reached', missed('missed_webhook')],
    ['its retry was due this moment', { nextRetryAt: NOW }, 'never_reached', missed('missed_webhook')],
    ['pending, a retry was due a minute ago', { pending: true, nextRetryAt: NOW - MINUTE }, 'pending_retry', {}],
    [
      'pending, and nothing since for as long as the grace',
      { pending: true, lastAttemptAt: NOW - 15 * MINUTE },
      'never_reached',
      missed('missed_webhook'),
    ],
  ];
  it.each(lines)('%s', (_name, facts, name, { missed: isMissed = false, recover = false, breakKind = null }) => {
    const { open, ...verdict } = classifyDelivery({ ...base, ...facts }, clock);
    expect(verdict).toEqual({ class: name, missed: isMissed, recover, breakKind });
    if (isMissed) expect(open).toBe(true);
  });
});

describe('what can never come', () => {
  /** Ten hours old, without a payload; what it reported was read since. */
  const lost: DeliveryFacts = {
    ...base,
    createdAt: NOW - 600 * MINUTE,
    lastAttemptAt: null,
    recoverable: false,
    readSince: 'yes',
  };
  const over = { class: 'unrecoverable', missed: false, open: false };
  const awaited = { class: 'never_reached', missed: true, open: true };
  const history = { class: 'never_reached', missed: false, open: false };
  it.each<[string, Partial<DeliveryFacts>, object]>([
    ['and was read since', {}, over],
    ['the same, noted as answered', { httpStatus: 200 }, over],
    ['the same, refused', { rejection: 'invalid_signature' }, over],
    ['it was waited for just so long', { createdAt: NOW - 500 * MINUTE }, over],
    ['it was not waited for so long', { createdAt: NOW - 500 * MINUTE + 1 }, awaited],
    ['it was not read since', { readSince: 'not yet' }, awaited],
    [
      'nothing says what it reported: a break, and classified no more',
      { readSince: 'unknown' },
      { ...awaited, open: false },
    ],
    ['the same, not waited for so long', { readSince: 'unknown', createdAt: NOW - 499 * MINUTE }, awaited],
    ['the same, but there is a payload', { readSince: 'unknown', recoverable: true }, awaited],
    ['there is a payload', { recoverable: true }, awaited],
    ['it is recovered, not applied', { held: 'recovered' }, awaited],
    ['it is from before adoption', { createdAt: clock.adoptedAt - 1 }, history],
    ['it is not ours', { ours: false }, { class: 'other_endpoint', missed: false, open: false }],
    ['a retry lies ahead', { nextRetryAt: NOW + 1 }, { class: 'pending_retry', missed: false, open: true }],
    ['the keys of its time are gone', { tooOld: true }, { class: 'too_old', missed: false, open: false }],
    ['the same, recovered, not applied', { tooOld: true, held: 'recovered' }, awaited],
    ['its last attempt is its age where nothing else is', { createdAt: null, lastAttemptAt: NOW - 600 * MINUTE }, over],
    ['when it was first seen, where nothing else is', { createdAt: null, firstSeenAt: NOW - 600 * MINUTE }, over],
    [
      'an attempt is nearer than when it was first seen',
      { createdAt: null, lastAttemptAt: NOW - MINUTE, firstSeenAt: 1 },
      awaited,
    ],
    ['its creation says more than an attempt', { createdAt: NOW - 400 * MINUTE, lastAttemptAt: 1 }, awaited],
    ['it has no time at all', { createdAt: null }, awaited],
  ])('%s', (_name, facts, expected) => expect(classifyDelivery({ ...lost, ...facts }, clock)).toMatchObject(expected));

  test('nothing is given up within the grace', () => {
    const facts: DeliveryFacts = { ...lost, createdAt: NOW - 10 * MINUTE, readSince: 'unknown' };
    expect(classifyDelivery(facts, { ...clock, giveUpMs: MINUTE })).toMatchObject({ missed: false, open: true });
    expect(GIVE_UP_MS).toBe(2_592_000_000);
  });

  it.each([
    [0, 0],
    [60 * MINUTE - 1, 0],
    [60 * MINUTE, 6 * MINUTE],
    [600 * MINUTE, 60 * MINUTE],
  ])('%s ms old, it is judged again after so long: %s', (age, wait) => {
    expect(classifyAgainAt({ createdAt: NOW - age, lastAttemptAt: null }, { now: NOW })).toBe(
      wait === 0 ? 0 : NOW + wait,
    );
  });
});

const time = fc.option(fc.integer({ min: NOW - 2_000 * MINUTE, max: NOW + 100 * MINUTE }), { nil: null });
const anyFacts = fc.record<DeliveryFacts>({
  ours: fc.boolean(),
  pending: fc.boolean(),
  httpStatus: fc.option(fc.constantFrom(200, 204, 301, 400, 401, 404, 500, 503), { nil: null }),
  createdAt: time,
  lastAttemptAt: time,
  nextRetryAt: time,
  held: fc.constantFrom('own', 'sibling', 'recovered', null),
  applied: fc.boolean(),
  rejection: fc.constantFrom(null, 'invalid_signature'),
  secretRetired: fc.boolean(),
  recoverable: fc.boolean(),
});

test('one class for any delivery; what we do not hold is never called received, and is never forgotten', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const verdict = classifyDelivery(facts, clock);
      expect(deliveryClasses).toContain(verdict.class);
      expect(classifyDelivery({ ...facts }, { ...clock })).toEqual(verdict);
      const isHere = facts.held === 'own' || facts.held === 'sibling';
      if (facts.ours) expect(verdict.class.startsWith('received')).toBe(isHere);
      if (verdict.recover) expect(facts.held).toBeNull();
      if (verdict.breakKind !== null) expect(verdict.missed).toBe(true);
      // Whatever it is now, unless it is held, history or not ours, time alone makes it missed.
      const isHistory = facts.createdAt !== null && facts.createdAt < clock.adoptedAt;
      const later = classifyDelivery(facts, { ...clock, now: NOW + 10_000 * MINUTE });
      const isDone = isHere || isHistory || !facts.ours || (facts.held === 'recovered' && facts.applied);
      expect(later.missed).toBe(!isDone);
      if (later.missed) expect(verdict.open).toBe(true);
    }),
  );
});

describe('which endpoint is ours', () => {
  const url = 'https://shop.example/hooks/pay';
  it.each([
    [url, url, true],
    ['https://shop.example:443/hooks/pay/', url, true],
    ['HTTPS://SHOP.example/hooks/pay', url, true],
    ['https://shop.example/hooks', url, false],
    ['https://other.example/hooks/pay', url, false],
    ['http://shop.example/hooks/pay', url, false],
    ['https://any.example/webhooks', null, true],
    ['https://any.example/webhooks2', null, false],
    ['no address', null, null],
    [null, url, null],
  ])('%s with the public address %s: %s', (given, publicUrl, expected) => {
    expect(isOwnUrl(given, { publicUrl, webhookPath: '/webhooks' })).toBe(expected);
  });
});

describe('the event in a payload', () => {
  const text = '{"id":"evt_1","event":"payout.failed","timestamp":1800000000.0,"data":{"amount":"1.10","n":1.10}}';

  test('is the same as a text and with another order of its keys, to the digit', () => {
    const one = deliveredEvent(text, 'none');
    expect(one).toMatchObject({ event: 'payout.failed', timestamp: 1_800_000_000, text, keyType: 'fingerprint' });
    const turned = '{"data":{"n":1.10,"amount":"1.10"},"timestamp":1800000000.0,"event":"payout.failed","id":"evt_1"}';
    expect(deliveredEvent(turned, 'none')?.key).toBe(one?.key);
    expect(deliveredEvent(text.replace('"n":1.10', '"n":1.1'), 'none')?.key).not.toBe(one?.key);
    expect(deliveredEvent(text, 'auto')).toMatchObject({ keyType: 'id', eventId: 'evt_1' });
  });

  it.each([
    '',
    'null',
    '[]',
    '{',
    '{"event":"a","data":{}}',
    '{"event":1,"timestamp":1,"data":{}}',
    '{"event":"a","timestamp":1e999,"data":{}}',
    '{"event":"a","timestamp":1,"data":[]}',
    undefined,
    null,
    ['{}'],
  ])('none in %s', (given) => expect(deliveredEvent(given, 'auto')).toBeNull());

  it.each([
    ['payout.failed', { paymentIntentId: 'pi_1' }, 'pi_1'],
    ['payin.confirmed', { payin: { id: 'in_1', payment_intent_id: 'pi_1' } }, 'pi_1'],
    ['invoice.paid', { payment_intent: { id: 'pi_1' } }, 'pi_1'],
    ['invoice.paid', { paymentIntent: 'pi_1' }, 'pi_1'],
    ['payment_intent.completed', { id: 'pi_1' }, 'pi_1'],
    ['payout.failed', { id: 'po_1' }, null],
    ['payment_intents.odd', { id: 'pi_1', paymentIntentId: '' }, null],
    ['payout.failed', { paymentIntentId: 7 }, null],
  ])('names its payment: %s %j', (event, data, payment) => {
    expect(deliveredEvent(JSON.stringify({ event, timestamp: 1, data }), 'auto')?.paymentIntentId).toBe(payment);
  });

  test('can not claim a later time than its delivery allows', () => {
    expect(boundedTimestamp(1_800_000_000, 1_800_000_000_000)).toBe(1_800_000_000);
    expect(boundedTimestamp(1_800_000_060.5, 1_800_000_000_000)).toBe(1_800_000_060);
    expect(boundedTimestamp(9e15, 1_800_000_000_000)).toBe(1_800_000_060);
    expect(boundedTimestamp(-5, 1_800_000_000_000)).toBe(-5);
  });
});
