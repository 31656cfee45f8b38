import { describe, expect, it } from 'vitest';
import { findingKey } from '../../src/domain/events/event-key.js';
import { atOnce, inTurns, type Pausing, SLICE, STEPS } from '../../src/domain/in-turns.js';
import { writingCanonical } from '../../src/domain/json-table/canonical-text.js';
import { MAX_DEPTH, readTable } from '../../src/domain/json-table/read-table.js';
import type { WaitingEvent } from '../../src/records/inbox/inbox-work.js';
import { readEvent, readEvents } from '../../src/webhook/observe-event.js';
import { MOST_PARTS, parsingEnvelope } from '../../src/webhook/parse-envelope.js';
import { sized } from '../support/sizes.js';

/** Of some slices, with too many keys and values. */
const LARGE = sized(140_000, 1_000_000);
const MANY_KEYS = LARGE / 11;
const times = (text: string) => text.repeat(LARGE / text.length);
const scrambled = (n: number) => (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(36);
const listed = (many: number, part: (n: number) => string) => Array.from({ length: many }, (_, n) => part(n)).join();
const body = (metadata: string, id = 'pi_1') =>
  Buffer.from(
    `{"event":"payment_intent.completed","timestamp":1700000000,"data":{"metadata":${metadata},"id":"${id}","status":"completed"}}`,
  );

const shapes: [name: string, metadata: string][] = [
  ['numbers', `[${times('1,')}1]`],
  ['empty lists', `[${times('[],')}1]`],
  ['deep lists', `[${times(`${'['.repeat(500)}${']'.repeat(500)},`)}1]`],
  ['deep objects', `[${times(`${'{"b":1,"a":'.repeat(500)}1${'}'.repeat(500)},`)}1]`],
  ['texts', `[${times('"\\n",')}1]`],
  ['keys', `{${listed(MANY_KEYS, (n) => `"${scrambled(n)}":1`)}}`],
];

/** How many characters are read between two pauses at most, and how often there is one. */
function measured<T>(work: Pausing<T>): { longest: number; pauses: number; value: T } {
  const given = Object.getOwnPropertyDescriptor(String.prototype, 'charCodeAt') as PropertyDescriptor;
  let [steps, longest, pauses] = [0, 0, 0];
  const counting = new Proxy(given.value as (at: number) => number, {
    apply(look, text, args) {
      steps += 1;
      return Reflect.apply(look, text, args);
    },
  });
  Reflect.defineProperty(String.prototype, 'charCodeAt', { ...given, value: counting });
  try {
    for (;;) {
      steps = 0;
      const step = work.next();
      longest = Math.max(longest, steps);
      if (step.done === true) return { longest, pauses, value: step.value };
      pauses += 1;
    }
  } finally {
    Reflect.defineProperty(String.prototype, 'charCodeAt', given);
  }
}

describe('work on a large body pauses after so many characters, whatever its shape', () => {
  it.each(shapes)('%s', (_, metadata) => {
    const parsed = measured(parsingEnvelope(body(metadata)));
    if (!parsed.value.ok) throw new Error(parsed.value.detail);
    const keyed = measured(findingKey({ envelope: parsed.value.envelope.document, headers: {}, pointer: 'auto' }));
    for (const { longest, pauses } of [parsed, keyed]) {
      expect(longest).toBeLessThan(5 * SLICE);
      expect(pauses).toBeGreaterThan(LARGE / SLICE - 2);
    }
  });

  it('and while many keys are put in order', () => {
    const many = MANY_KEYS;
    const keys = (key: (n: number) => string) => body(`{${listed(many, key)}}`);
    const inOrder = measured(parsingEnvelope(keys((n) => `"${String(n).padStart(6, '0')}":1`))).pauses;
    const inNone = measured(parsingEnvelope(keys((n) => `"${scrambled(n).padStart(6, '0').slice(-7)}":1`))).pauses;
    // Gathered, noted, sorted, read through, linked.
    expect(inNone - inOrder).toBeGreaterThan(4 * Math.floor(many / STEPS));
  });

  it('and while long keys are gathered', () => {
    const keys = (key: (n: number) => number) => body(`{${listed(60, (n) => `"${'k'.repeat(5_000)}${key(n)}":1`)}}`);
    const inOrder = measured(parsingEnvelope(keys((n) => 10 + n))).pauses;
    expect(measured(parsingEnvelope(keys((n) => 99 - n))).pauses - inOrder).toBeGreaterThan(3);
  });

  it('and before each of its two hashes', () => {
    const envelope = readTable(body(`"${'x'.repeat(LARGE)}"`).toString(), MAX_DEPTH);
    const pauses = (ids: string[]) =>
      measured(findingKey({ envelope, headers: { id: ids }, pointer: 'header:id' })).pauses;
    const written = measured(writingCanonical(envelope, 'timestamp')).pauses;
    expect([pauses(['evt_1']), pauses([])]).toEqual([written + 1, written + 2]);
  });

  it('an event of the usual size never does', () => {
    const usual = body(`{${listed(200, (n) => `"${scrambled(n)}":"${'x'.repeat(50)}"`)}}`);
    const parsed = measured(parsingEnvelope(usual));
    expect(parsed.pauses).toBe(0);
  });
});

describe('in turns', () => {
  function* counting(to: number): Pausing<number> {
    for (let n = 0; n < to; n += 1) yield;
    return to;
  }

  it('others have a turn at each pause', async () => {
    let turns = 0;
    const turn = async () => {
      turns += 1;
    };
    expect(await inTurns(counting(7), turn)).toBe(7);
    expect(turns).toBe(7);
    expect(atOnce(counting(7))).toBe(7);
  });
});

describe('an event with too many keys and values', () => {
  const stored = (of: Buffer, type = 'payment_intent.completed'): WaitingEvent => ({
    id: '7',
    key: 'k',
    type,
    timestamp: 1_700_000_000,
    source: 'webhook',
    receivedAt: 1_700_000_000_500,
    secretLabel: null,
    mark: null,
    body: of.toString(),
  });
  /** With all that stands around them. */
  const having = (parts: number) => body(`[${listed(parts - 13, () => '1')}]`);

  it('is one with more than so many, and no other', () => {
    const sizes = [MOST_PARTS, MOST_PARTS + 1].map((parts) => {
      const parsed = atOnce(parsingEnvelope(having(parts)));
      return parsed.ok && [parsed.envelope.document.size, parsed.envelope.bulk];
    });
    expect(sizes).toEqual([
      [MOST_PARTS, null],
      [MOST_PARTS + 1, MOST_PARTS + 1],
    ]);
  });

  it.each(shapes)('%s: only has its record asked for, and says so', (_, metadata) => {
    const { observations, status, error, breaks } = readEvent(stored(body(metadata)));
    expect(observations).toMatchObject([{ kind: 'payment_intent', id: 'pi_1', type: 'mention' }]);
    expect({ status, breaks }).toEqual({ status: 'unhandled', breaks: [] });
    expect(error).toMatch(
      /^data: \d+ keys and values given; an event with more than 20000 only has its record asked for/,
    );
  });

  it('that moved money has its accounts asked for, a few', () => {
    const data = `{"id":"t_1",${listed(30_000, (n) => `"k${n}account":"a${n}"`)}}`;
    const moved = Buffer.from(`{"event":"wallet_account.deposit.completed","timestamp":1700000000,"data":${data}}`);
    const { observations } = readEvent(stored(moved, 'wallet_account.deposit.completed'));
    expect(observations.every(({ type }) => type === 'mention')).toBe(true);
    expect(observations.filter(({ kind }) => kind === 'account')).toHaveLength(8);
  });

  it('is read in turns as it is read at once', async () => {
    const events = [...shapes.map(([, metadata]) => stored(body(metadata))), stored(body('1', 'pi_2'))];
    expect(await readEvents(events)).toEqual(events.map((event) => readEvent(event)));
  });
});
