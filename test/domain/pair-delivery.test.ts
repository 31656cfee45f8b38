import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HeldEvent,
  type PairedBy,
  pairDelivery,
  pairSecrets,
  type SecretShare,
} from '../../src/domain/deliveries/pair-delivery.js';

const delivery: PairedBy = {
  id: 'd1',
  endpointId: 'e1',
  eventType: 'payout.failed',
  event: { key: 'fp:1', contentHash: 'c1', timestamp: 100 },
  answeredId: null,
  attempts: 1,
  createdAt: 100_000,
  lastAttemptAt: 100_500,
};
const held: HeldEvent = {
  id: '7',
  key: 'fp:1',
  contentHash: 'c1',
  timestamp: 100,
  eventType: 'payout.failed',
  firstArrivalAt: 100_400,
};
const free = () => false;
const taken = () => true;

describe('a delivery and an event of the inbox', () => {
  test('belong together by their key, or by content and time where the id stood in a header', () => {
    expect(pairDelivery(delivery, [held], taken)).toBe(held);
    expect(pairDelivery(delivery, [{ ...held, key: 'id:header' }], taken)?.id).toBe('7');
    const variant = { ...held, key: 'fp:1#c1', timestamp: 5 };
    expect(pairDelivery(delivery, [variant], taken)).toBe(variant);
  });

  test('one id with other content is another event: it was not received', () => {
    expect(pairDelivery(delivery, [{ ...held, contentHash: 'c2' }], free)).toBeNull();
  });

  test('the same content at another time is another event, unless the delivery was tried again meanwhile', () => {
    const other = { ...held, key: 'fp:2', timestamp: 101 };
    expect(pairDelivery(delivery, [other], free)).toBeNull();
    const retried = { ...delivery, attempts: 2, lastAttemptAt: 200_000 };
    expect(pairDelivery(retried, [other], free)).toBe(other);
    expect(pairDelivery(retried, [other], taken)).toBeNull();
    expect(pairDelivery(retried, [{ ...other, firstArrivalAt: 300_000 }], free)).toBeNull();
    expect(pairDelivery(retried, [{ ...other, firstArrivalAt: 10_000 }], free)).toBeNull();
  });

  test('our own answer names the event, where nothing speaks against it', () => {
    const bare = { ...delivery, event: null, answeredId: '7' };
    expect(pairDelivery(bare, [held], free)).toBe(held);
    expect(pairDelivery({ ...bare, eventType: 'payin.confirmed' }, [held], free)).toBeNull();
    expect(pairDelivery({ ...bare, answeredId: '8' }, [held], free)).toBeNull();
    const restamped = { ...held, key: 'fp:2', timestamp: 101 };
    expect(pairDelivery({ ...delivery, answeredId: '7' }, [restamped], free)).toBe(restamped);
  });
});

const share = (endpointId: string, label: string, events: number, of: number): SecretShare => ({
  endpointId,
  label,
  events,
  of,
});

describe('which endpoint signs with which secret', () => {
  const pairs = (shares: SecretShare[], known: [string, string][] = []) =>
    Object.fromEntries(pairSecrets(shares, new Map(known)));

  test('one endpoint, one secret', () => {
    expect(pairs([share('e1', 'live', 3, 3)])).toEqual({ live: 'e1' });
    expect(pairs([])).toEqual({});
  });

  test('an overlap after a time with one alone', () => {
    const shares = [
      share('e1', 'old', 10, 10),
      share('e1', 'new', 4, 10),
      share('e2', 'old', 4, 4),
      share('e2', 'new', 4, 4),
    ];
    expect(pairs(shares)).toEqual({ old: 'e1', new: 'e2' });
  });

  test('while every event came under both nothing can be said, unless it was known before', () => {
    const both = [share('e1', 'a', 4, 4), share('e1', 'b', 4, 4), share('e2', 'a', 4, 4), share('e2', 'b', 4, 4)];
    expect(pairs(both)).toEqual({});
    expect(pairs(both, [['a', 'e2']])).toEqual({ a: 'e2', b: 'e1' });
  });

  test('one event that speaks against what was known before is enough', () => {
    expect(pairs([share('e1', 'a', 10, 10), share('e2', 'a', 9, 10)], [['a', 'e2']])).toEqual({ a: 'e1' });
  });

  test('what can be said of one is said, whatever can not be said of others', () => {
    const both = ['e2', 'e3'].flatMap((id) => [share(id, 'b', 9, 10), share(id, 'c', 9, 10)]);
    expect(pairs([share('e1', 'a', 20, 20), ...both])).toEqual({ a: 'e1' });
  });

  test('a few events that got lost do not matter', () => {
    const shares = [share('e1', 'a', 9, 10), share('e1', 'b', 6, 10), share('e2', 'a', 6, 10), share('e2', 'b', 9, 10)];
    expect(pairs(shares)).toEqual({ a: 'e1', b: 'e2' });
  });

  test('a secret that two endpoints share belongs to none', () => {
    expect(pairs([share('e1', 'a', 5, 5), share('e2', 'a', 9, 9)])).toEqual({});
  });

  test('whatever was seen, no endpoint has two secrets and no secret two endpoints', () => {
    const anyShares = fc.array(
      fc.record({
        endpointId: fc.constantFrom('e1', 'e2', 'e3'),
        label: fc.constantFrom('a', 'b', 'c'),
        events: fc.integer({ min: 1, max: 9 }),
        of: fc.constant(9),
      }),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(anyShares, (shares) => {
        const found = [...pairSecrets(shares, new Map())];
        expect(new Set(found.map(([, endpoint]) => endpoint)).size).toBe(found.length);
        for (const [label, endpointId] of found) {
          expect(shares.some((one) => one.label === label && one.endpointId === endpointId)).toBe(true);
        }
      }),
    );
  });
});

describe('whose a delivery is', () => {
  const event = { key: 'k', contentHash: 'c', timestamp: 100 };
  const retried: PairedBy = {
    id: 'd1',
    endpointId: 'e1',
    eventType: 't',
    event,
    answeredId: '3',
    attempts: 2,
    createdAt: 500_000,
    lastAttemptAt: 600_000,
  };
  const held = (id: string, about: Partial<HeldEvent> = {}): HeldEvent => {
    return { id, key: id, contentHash: 'c', timestamp: 1, eventType: 't', firstArrivalAt: 0, ...about };
  };
  const pair = (delivery: Partial<PairedBy>, ...events: HeldEvent[]) =>
    pairDelivery({ ...retried, ...delivery }, events, () => false)?.id;
  const [byKey, byTime, byAnswer] = [held('1', { key: 'k' }), held('2', { timestamp: 100 }), held('3')];
  const byRetry = held('4', { firstArrivalAt: 550_000 });

  test('is known by the strongest sign there is', () => {
    expect(pair({}, byRetry, byAnswer, byTime, byKey)).toBe('1');
    expect(pair({}, byRetry, byAnswer, byTime)).toBe('2');
    expect(pair({}, byRetry, byAnswer)).toBe('3');
    expect(pair({}, byRetry)).toBe('4');
    expect(pair({ event: null }, byRetry, byTime)).toBeUndefined();
  });

  test('is a retry’s where it came between the first attempt and the last, a minute more or less', () => {
    const came = (firstArrivalAt: number, about: Partial<PairedBy> = {}) => pair(about, held('4', { firstArrivalAt }));
    expect([439_999, 440_000, 660_000, 660_001].map((at) => came(at))).toEqual([undefined, '4', '4', undefined]);
    for (const about of [{ attempts: null }, { attempts: 1 }, { createdAt: null }, { lastAttemptAt: null }])
      expect(came(550_000, about)).toBeUndefined();
  });

  test('is of the one endpoint that a secret signs for: half of what came at least, and no other’s nine of ten', () => {
    const share = (endpointId: string, label: string, events: number, of = 10) => ({ endpointId, label, events, of });
    const paired = (...shares: ReturnType<typeof share>[]) => Object.fromEntries(pairSecrets(shares, new Map()));
    expect(paired(share('e1', 'a', 5))).toEqual({ a: 'e1' });
    expect(paired(share('e1', 'a', 4))).toEqual({});
    expect(paired(share('e1', 'a', 10), share('e2', 'a', 9))).toEqual({ a: 'e1' });
    expect(paired(share('e1', 'a', 100, 100), share('e2', 'a', 10))).toEqual({});
    const many = Array.from({ length: 7 }, (_, n) => share(`e${n}`, `s${n}`, 10 + n, 10 + n));
    expect(Object.keys(paired(...many))).toHaveLength(5);
  });
});
