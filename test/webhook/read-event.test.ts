import { describe, expect, it } from 'vitest';
import { envelopeOf, readEvent } from '../../src/webhook/observe-event.js';

/** A stored event as it waits to be read. */
const read = (type: string, data: object) => {
  const body = JSON.stringify({ event: type, timestamp: 1_700_000_000, data });
  const about = {
    timestamp: 1_700_000_000,
    source: 'webhook',
    receivedAt: 1_700_000_000_500,
    secretLabel: null,
    mark: null,
  } as const;
  return readEvent({ id: '7', key: 'k7', type, body, ...about });
};

describe('a stored event', () => {
  it('that was read off whole is applied, and opens nothing', () => {
    const data = { id: 'pi_1', status: 'completed' };
    expect(read('payment_intent.completed', data)).toMatchObject({
      id: '7',
      key: 'k7',
      type: 'payment_intent.completed',
      data,
      mark: null,
      status: 'applied',
      error: null,
      breaks: [],
      observations: [{ kind: 'payment_intent', id: 'pi_1', source: { type: 'webhook', ref: '7' } }],
    });
  });

  it('of a type that is not kept here is unhandled, and no fault', () => {
    expect(read('weather.changed', { id: 'x' })).toMatchObject({ status: 'unhandled', error: null, breaks: [] });
  });

  it('that breaks the specification is unhandled, says what does, and opens a break', () => {
    expect(read('payment_intent.completed', {})).toMatchObject({
      status: 'unhandled',
      error: 'data: no id of a payment_intent in the data',
      breaks: [
        {
          kind: 'contract_violation',
          severity: 'critical',
          entity: { kind: 'event', id: '7' },
          evidence: {
            eventType: 'payment_intent.completed',
            path: '/data',
            given: 'no id of a payment_intent in the data',
            applied: false,
            source: { type: 'webhook', ref: '7' },
          },
        },
      ],
    });
  });

  it('that names more than one event may cause says so, and saving opens no break for it', () => {
    const payins = Array.from({ length: 101 }, (_, n) => ({ id: `in_${n}` }));
    expect(read('payment_intent.completed', { id: 'pi_1', payins })).toMatchObject({
      status: 'unhandled',
      error: expect.stringMatching(/^data\/payins: 101 given/),
      breaks: [],
    });
  });

  it('says all that is wrong, in 300 characters at most', () => {
    const wrong = { id: 'pi_1', amountRequested: 1, totalAmountReceived: 2 };
    const of = (field: string, given: string) => `data/${field}: not a decimal string: the number ${given}`;
    expect(read('payment_intent.completed', wrong).error).toBe(
      `${of('amountRequested', '1')}; ${of('totalAmountReceived', '2')}`,
    );
    const payins = Array.from({ length: 20 }, (_, n) => ({ id: `in_${n}`, amountNet: 3 }));
    expect(read('payment_intent.completed', { ...wrong, payins }).error).toHaveLength(300);
  });

  it('that was no envelope when it was stored is refused', () => {
    expect(() => envelopeOf('[]')).toThrow('the stored body: the body is an array, not an object');
  });
});
