import { describe, expect, test } from 'vitest';
import { disputeSeen, type ShownStep } from '../../../src/domain/books/dispute-seen.js';
import type { Json } from '../../../src/domain/json.js';

describe('what the history of a payment shows of its dispute', () => {
  const whole = (save: string, to: Json, day: number): ShownStep => ({
    save,
    field: null,
    from: null,
    to,
    at: day,
  });
  const step = (save: string, field: string, from: Json, to: Json, day: number): ShownStep => ({
    save,
    field,
    from,
    to,
    at: day,
  });
  const state = (save: string, to: string | null, day: number) => step(save, 'irregularStatus', null, to, day);
  const net = (save: string, to: Json, day: number) => step(save, 'amountNetMerchant', null, to, day);
  const seen = (...steps: ShownStep[]) => {
    const seen = disputeSeen(steps);
    if (seen === null) return null;
    const begun = Object.fromEntries(seen.begun);
    return { ...begun, netBefore: seen.netBefore, firstNet: seen.firstNet };
  };
  const paid = whole('a', { irregularStatus: 'none', amountNetMerchant: '99' }, 1);
  const opened = [state('b', 'pending_decision', 2), net('b', '79', 2)];

  test.each<[string, ShownStep[], object | null]>([
    ['nothing is known', [], null],
    ['there was none', [paid, net('b', '50', 2)], null],
    ['it opened', [paid, ...opened], { pending_decision: 2, netBefore: '99', firstNet: null }],
    [
      'it was there from the first',
      [whole('a', { irregularStatus: 'pending_decision', amountNetMerchant: '0' }, 1)],
      {
        pending_decision: 1,
        netBefore: null,
        firstNet: '0',
      },
    ],
    [
      'it opened and was decided',
      [paid, ...opened, state('c', 'refunded', 3)],
      {
        pending_decision: 2,
        refunded: 3,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'it is over',
      [paid, ...opened, state('c', 'none', 3)],
      { pending_decision: 2, none: 3, netBefore: '99', firstNet: null },
    ],
    [
      'another opened',
      [paid, ...opened, state('c', 'encashed', 3), net('c', '98', 3), state('d', 'pending_decision', 4)],
      {
        pending_decision: 4,
        encashed: 3,
        netBefore: '98',
        firstNet: null,
      },
    ],
    [
      'another part came into question',
      [paid, ...opened, step('c', 'amountRejected', '20', '50', 3)],
      {
        pending_decision: 3,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'its amount was shown later',
      [paid, ...opened, step('c', 'amountRejected', null, '20', 3)],
      {
        pending_decision: 2,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'its amount was nothing first',
      [paid, ...opened, step('c', 'amountRejected', '0.0', '20', 3)],
      {
        pending_decision: 2,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'its amount is no more',
      [paid, ...opened, step('c', 'amountRejected', '20', null, 3)],
      {
        pending_decision: 2,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'another amount changed',
      [paid, ...opened, net('c', '50', 3)],
      { pending_decision: 2, netBefore: '99', firstNet: null },
    ],
    [
      'a part changed once it was decided',
      [paid, ...opened, state('c', 'refunded', 3), step('d', 'amountRejected', '20', '50', 4)],
      {
        pending_decision: 2,
        refunded: 3,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'what is shown is no text',
      [paid, state('b', null, 2), net('b', { odd: true }, 2), ...opened.map((one) => ({ ...one, save: 'c' }))],
      {
        pending_decision: 2,
        netBefore: '99',
        firstNet: null,
      },
    ],
    [
      'what came first is shown as no object',
      [whole('a', 'x', 1), ...opened],
      { pending_decision: 2, netBefore: null, firstNet: null },
    ],
    [
      'one save shows it twice: the last counts',
      [paid, state('b', 'pending_decision', 2), state('b', 'encashed', 2)],
      {
        encashed: 2,
        netBefore: '99',
        firstNet: null,
      },
    ],
  ])('%s', (_name, steps, expected) => expect(seen(...steps)).toEqual(expected));
});
