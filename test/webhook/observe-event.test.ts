import * as fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { amountViolations } from '../../src/domain/records.js';
import { observeEvent } from '../../src/webhook/observe-event.js';
import { sized } from '../support/sizes.js';

const at = { from: 1_700_000_000_000, to: 1_700_000_000_999, source: { type: 'webhook' as const, ref: '7' } };

function observe(type: string, data: unknown, timestamp = 1_700_000_000) {
  const json = parse(stringify(data) ?? '{}') as JsonObject;
  return observeEvent({ id: '7', type, timestamp, source: 'webhook', data: json });
}

const report = (kind: string, id: string, fields: object) => ({ ...at, kind, id, type: 'statement', fields });
const mention = (kind: string, id: string) => ({ ...at, kind, id, type: 'mention' });

const intent = {
  id: 'pi_1',
  status: 'completed',
  amountRequested: '10.5',
  merchantReference: 'order-1',
  metadata: { a: ['1', { b: null }], 'ключ\u0000': '\ud800' },
};

describe('what an event is taken to say', () => {
  it.each([
    ['the record itself', intent],
    ['wrapped by its name', { paymentIntent: intent }],
    ['wrapped by its name, snake case', { payment_intent: intent }],
    ['wrapped by a plain name', { object: intent }],
    ['wrapped twice', { data: { paymentIntent: intent } }],
    ['in an envelope with an id of its own', { id: 'evt_9', object: intent }],
    [
      'in an envelope with an id and a date of its own',
      { id: 'evt_9', createdAt: '2026-03-01T00:00:00Z', object: intent },
    ],
    ['with its id under another name', { paymentIntentId: 'pi_1', ...intent, id: 'evt_9' }],
    ['with its id beside the wrapper', { paymentIntentId: 'pi_1', paymentIntent: { ...intent, id: undefined } }],
  ])('a payment intent, %s', (_, data) => {
    expect(observe('payment_intent.completed', data)).toEqual({
      handled: true,
      problems: [],
      observations: [report('payment_intent', 'pi_1', intent)],
    });
  });

  it.each([
    ['under its own name', { paymentIntentId: 'pi_1' }],
    ['alone', { id: 'pi_1' }],
    ['in place of the record', { paymentIntent: 'pi_1' }],
  ])('an id %s: the state that the type names', (_, data) => {
    expect(observe('payment_intent.completed', data).observations).toEqual([
      report('payment_intent', 'pi_1', { id: 'pi_1', status: 'completed' }),
    ]);
  });

  it('that names a hundred payins is taken at its word; that names more only asks for its subject, and says so', () => {
    const named = (many: number) => ({
      ...intent,
      payins: Array.from({ length: many }, (_, n) => ({ id: `in_${n}` })),
    });
    expect(observe('payment_intent.completed', named(100)).observations).toHaveLength(101);
    const { observations, problems } = observe('payment_intent.completed', { paymentIntent: named(101) });
    expect(observations).toEqual([mention('payment_intent', 'pi_1')]);
    expect(problems).toMatchObject([{ path: '/paymentIntent/payins', entity: null }]);
    expect(problems[0]?.detail).toMatch(/^101 given; /);
    const related = { ...named(100), invoice: { id: 'inv_1', status: 'paid' } };
    expect(observe('payment_intent.completed', related).observations).toEqual([mention('payment_intent', 'pi_1')]);
  });

  it('in a large body: nothing is kept of its related payins, they are only asked for', () => {
    const data = { ...intent, payins: [{ id: 'in_1', status: 'completed' }] };
    const event = {
      id: '7',
      type: 'payment_intent.completed',
      timestamp: 1_700_000_000,
      source: 'webhook',
      data,
    } as const;
    const typesOf = (characters: number, source: 'webhook' | 'delivery_history' = 'webhook') =>
      observeEvent({ ...event, source, body: ' '.repeat(characters) }).observations.map(
        ({ kind, type }) => `${kind} ${type}`,
      );
    expect(typesOf(256_000)).toEqual(['payment_intent statement', 'payin statement']);
    expect(typesOf(256_001)).toEqual(['payment_intent statement', 'payin mention']);
    expect(typesOf(256_001, 'delivery_history')).toEqual(['payment_intent statement', 'payin statement']);
  });

  it('an id alone under a type that names no state asks for a reading', () => {
    expect(observe('payment_intent.updated', { id: 'pi_1' }).observations).toEqual([mention('payment_intent', 'pi_1')]);
  });

  it('a part of a record: what is absent stays absent, the state comes from the type', () => {
    expect(observe('payment_intent.expired', { id: 'pi_1', assetCode: null }).observations).toEqual([
      report('payment_intent', 'pi_1', { id: 'pi_1', assetCode: null, status: 'expired' }),
    ]);
    expect(observe('payment_intent.expired', { id: 'pi_1', status: null }).observations).toEqual([
      report('payment_intent', 'pi_1', { id: 'pi_1', status: 'expired' }),
    ]);
  });

  it('a state other than the type names: the data counts, and the record is to be read', () => {
    expect(observe('payment_intent.completed', { id: 'pi_1', status: 'pending' }).observations).toEqual([
      report('payment_intent', 'pi_1', { id: 'pi_1', status: 'pending' }),
      mention('payment_intent', 'pi_1'),
    ]);
  });

  it('a state that the specification does not list, verbatim', () => {
    expect(observe('payment_intent.frozen', { id: 'pi_1', status: 'frozen' }).observations).toEqual([
      report('payment_intent', 'pi_1', { id: 'pi_1', status: 'frozen' }),
    ]);
  });

  it('the payins of an intent, each linked to it', () => {
    const payins = [
      { id: 'in_1', status: 'confirmed', amountGross: '1' },
      { id: 'in_2', paymentIntentId: null },
    ];
    const { observations } = observe('payment_intent.confirming', { id: 'pi_1', status: 'confirming', payins });
    expect(observations).toEqual([
      report('payment_intent', 'pi_1', { id: 'pi_1', status: 'confirming', payins }),
      report('payin', 'in_1', { ...payins[0], paymentIntentId: 'pi_1' }),
      report('payin', 'in_2', payins[1] ?? {}),
    ]);
  });

  it('a payin beside its intent', () => {
    const payin = { id: 'in_1', status: 'confirmed', amountGross: '1' };
    expect(observe('payment_intent.completed', { paymentIntent: intent, payin }).observations).toEqual([
      report('payment_intent', 'pi_1', intent),
      report('payin', 'in_1', { ...payin, paymentIntentId: 'pi_1' }),
    ]);
  });

  it('an event of a payin asks for the intent it belongs to', () => {
    const payin = { id: 'in_1', paymentIntentId: 'pi_1', status: 'confirmed' };
    const expected = [report('payin', 'in_1', payin), mention('payment_intent', 'pi_1')];
    expect(observe('payin.confirmed', payin).observations).toEqual(expected);
    expect(observe('payin.confirmed', { payin }).observations).toEqual(expected);
    expect(
      observe('payin.confirmed', { payinId: 'in_1', paymentIntentId: 'pi_1', status: 'confirmed' }).observations,
    ).toEqual(expected);
  });
});

describe('what is not applied', () => {
  it.each([
    ['an amount as a JSON number', { id: 'pi_1', amountRequested: 10 }, '/amountRequested'],
    ['an amount in a payin', { id: 'pi_1', payins: [{ amountNet: 1.5 }] }, '/payins/0/amountNet'],
    [
      'an amount in exponential form',
      { paymentIntent: { id: 'pi_1', feeAmountTotal: '1e5' } },
      '/paymentIntent/feeAmountTotal',
    ],
  ])('%s is named; saving refuses the claim and opens the break', (_, data, path) => {
    const { observations, problems } = observe('payment_intent.completed', data);
    expect(observations.map((one) => [one.type, one.id])).toEqual([['statement', 'pi_1']]);
    expect(problems).toEqual([{ path, detail: expect.stringContaining('decimal string'), entity: null }]);
  });

  it.each([
    ['reference', { id: 'pi_1', status: 'completed', merchantReference: 12 }, '/merchantReference'],
    ['state', { id: 'pi_1', status: 5 }, '/status'],
  ])('a %s that is no text: the record is read instead, and the event says why', (_, data, path) => {
    expect(observe('payment_intent.completed', data)).toEqual({
      handled: true,
      observations: [mention('payment_intent', 'pi_1')],
      problems: [{ path, detail: 'not a string', entity: { kind: 'payment_intent', id: 'pi_1' } }],
    });
  });

  it.each([
    [{}],
    [{ id: '' }],
    [{ id: 5, status: 'completed' }],
    [{ paymentIntent: { status: 'completed' } }],
    [{ object: [] }],
  ])('data without an id: %j', (data) => {
    const { observations, problems, handled } = observe('payment_intent.completed', data);
    expect({ observations, handled, problems: problems.length }).toEqual({
      observations: [],
      handled: true,
      problems: 1,
    });
  });

  it.each(['account.closed', 'transaction.created', 'wallet_account', 'payment_intent', 'payment_intentx.y', '', '.'])(
    'a type that is not kept: %j',
    (type) => {
      expect(observe(type, intent)).toEqual({ observations: [], handled: false, problems: [] });
    },
  );
});

describe('the moment of a claim', () => {
  it.each([
    [1_700_000_000, 1_700_000_000_000, 1_700_000_000_999],
    [1_700_000_000.123, 1_700_000_000_123, 1_700_000_000_123],
    [-1, -1_000, -1],
    [1e300, 8.64e15, 8.64e15],
  ])('%d s', (timestamp, from, to) => {
    const [seen] = observe('payment_intent.completed', intent, timestamp).observations;
    expect({ from: seen?.from, to: seen?.to }).toEqual({ from, to });
  });
});

describe('for any data', () => {
  const names = [
    'id',
    'status',
    'paymentIntent',
    'payin',
    'payins',
    'object',
    'data',
    'paymentIntentId',
    'payinId',
    'amountNet',
    'amountRequested',
  ];
  const key = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, fc.string());
  const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('pi_1', 'in_1', 'completed', null, true),
      fc.integer(),
      tie('object'),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
    object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  }));
  const type = fc.constantFrom('payment_intent.completed', 'payment_intent.x', 'payin.confirmed', 'payin.', 'x.y');

  it('nothing is thrown, and no record is claimed without its id, no wrong amount passes unnamed', () => {
    fc.assert(
      fc.property(type, fc.dictionary(key, value, { maxKeys: 6 }), (name, data) => {
        const { observations, problems, handled } = observe(name, data);
        if (handled) expect(observations.length + problems.length).toBeGreaterThan(0);
        for (const one of observations) checkClaim(one);
        const wrong = observations.some(
          (one) => one.type === 'statement' && amountViolations(one.kind, one.fields).length > 0,
        );
        if (wrong) expect(problems).not.toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  function checkClaim(one: Observation): void {
    expect(one.id).not.toBe('');
    if (one.type !== 'statement') return;
    expect(one.fields['id']).toBe(one.id);
  }
});

it('of a record with more fields than any has nothing is kept but its id: it is read, however many they are', () => {
  fc.assert(
    fc.property(fc.integer({ min: 990, max: 3_000 }), fc.boolean(), (count, isRelated) => {
      const many = Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 'x']));
      const big = { id: isRelated ? 'in_1' : 'pi_1', status: 'completed', ...many };
      const data = isRelated ? { id: 'pi_1', status: 'completed', invoice: big } : big;
      const event = { id: '1', type: 'payment_intent.completed', timestamp: 1_700_000_000, source: 'webhook' } as const;
      const { observations, problems, handled } = observeEvent({ ...event, data });
      expect(handled).toBe(true);
      const kept = observations.map((seen) => ('fields' in seen ? Object.keys(seen.fields).length : 0));
      expect(Math.max(...kept)).toBeLessThanOrEqual(1_000);
      expect(observations.some(({ id }) => id === big.id)).toBe(true);
      const isTooMany = count + 2 > 1_000;
      expect(problems.some(({ detail }) => detail.includes('fields given'))).toBe(isTooMany && !isRelated);
    }),
    { numRuns: sized(25, 100) },
  );
});
