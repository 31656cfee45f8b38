import { describe, expect, it } from 'vitest';
import type { AlertFacts } from '../../src/domain/alerts/facts.js';
import { type State, stateOf } from '../../src/domain/state/state.js';
import { AWAY, calm, openBreak, provenKind, SENT, unsent } from './calm-facts.js';
import { NOW } from './random-facts.js';

const state = (changed: Partial<AlertFacts>) => stateOf({ ...calm, ...changed }, [], NOW);
/** The heads, each with what follows from it. */
const outline = ({ problems }: State) =>
  problems.map(({ title, follows }) => (follows.length === 0 ? title : [title, follows.map((one) => one.title)]));

const MOVES = 'it moved each time that it was read';
const VOUCHER = 'payout po_1: payoutType "voucher" is on no list of movements.words.payoutType';
const UNAVAILABLE = 'the newest run failed: service_unavailable: listPayouts: no answer';
describe('a cause stands before what follows from it', () => {
  it.each<[string, Partial<AlertFacts>, unknown]>([
    [
      'the service is down',
      {
        kinds: ['invoices', 'payouts', 'catalog'].map((name) =>
          provenKind(name, { reason: UNAVAILABLE, provenSecondsAgo: 1_000, ageSeconds: 1_001 }),
        ),
        outage: AWAY,
      },
      [['The service does not answer', ['What the service’s lists show is not proven: invoices, payouts, catalog']]],
    ],
    [
      'the service was down, and answered since',
      { kinds: [provenKind('payouts'), provenKind('catalog', { reason: UNAVAILABLE })] },
      ['What the service’s lists show is not proven: catalog'],
    ],
    [
      'nobody reads the lists',
      {
        parts: [{ part: 'alerts', secondsAgo: 1_000 }],
        kinds: [
          provenKind('payouts', { provenSecondsAgo: 1_000, ageSeconds: 1_001 }),
          // An alert already, and not stale yet.
          provenKind('endpoints', { everySeconds: 120, provenSecondsAgo: 400, ageSeconds: 401 }),
        ],
        seals: { oldestUnsealedSeconds: 2_000, unverifiedSeconds: 0, findings: 0 },
      },
      [
        [
          'No scheduler is at work',
          [
            'What the service says of a kind is not known any more: payouts, endpoints',
            'What is written is not sealed',
            'What the service’s lists show is not proven: payouts',
          ],
        ],
      ],
    ],
    [
      'balances moved each time that they were read',
      {
        kinds: [
          provenKind('balances', {
            completeUntil: null,
            ageSeconds: 901,
            reason: 'BTC: it moved each time that it was read',
          }),
        ],
        balances: { total: 2, unproven: [{ assetCode: 'BTC', why: 'it moved', isUnexplained: false }] },
      },
      [['What the service’s lists show is not proven: balances', ['A balance is not proven: BTC']]],
    ],
    ...(['voucher', 'moves'] as const).map((reason): [string, Partial<AlertFacts>, unknown] => [
      `payouts are of a new type, and a balance moves: ${reason}`,
      {
        newPayoutTypes: ['voucher'],
        newPayouts: { count: 4, money: [{ amount: '20', currency: 'LTC' }] },
        breaks: [openBreak('contract_violation', 'medium', 1)],
        kinds: [
          provenKind('balances', {
            provenSecondsAgo: 9_000,
            ageSeconds: 9_001,
            reason: { voucher: `BTC: ${MOVES}; LTC, ETH: ${VOUCHER}`, moves: `LTC: ${MOVES}` }[reason],
          }),
        ],
        balances: {
          total: 3,
          unproven: [{ assetCode: 'LTC', why: MOVES, isUnexplained: false, isOfNewType: true }],
        },
      },
      [
        [
          '1 open break: contract violation, payout type “voucher”',
          [
            'What the service says of a kind is not known any more: balances',
            'What the service’s lists show is not proven: balances',
            'A balance is not proven: LTC',
          ],
        ],
      ],
    ]),
    [
      'a secret is wrong',
      {
        invalidSignatures: { sinceMatch: 12, fiveMinutes: 12, share: 1 },
        rejected: [{ reason: 'invalid_signature', count: 100, likeService: 100, oldestSeconds: 60 }],
        missed: 4,
        awaited: [{ class: 'rejected', awaited: 9, missed: 4, oldestSeconds: 60, ...unsent }],
        breaks: [openBreak('rejected_delivery', 'high', 4)],
      },
      [
        [
          'Webhooks are rejected for their signature',
          [
            'Deliveries of the service are missing here',
            '4 open breaks: rejected delivery',
            '5 deliveries not here, not overdue yet: rejected',
          ],
        ],
      ],
    ],
    [
      'the receiver is down, and something else took deliveries',
      {
        parts: [{ part: 'receiver', secondsAgo: 600 }],
        missed: 7,
        awaited: [
          { class: 'never_reached', awaited: 1, missed: 1, oldestSeconds: 60, ...unsent },
          { class: 'phantom', awaited: 6, missed: 6, oldestSeconds: 60, ...unsent },
        ],
        breaks: [openBreak('missed_webhook', 'high', 1), openBreak('phantom_delivery', 'critical', 6)],
      },
      [
        ['A part of Tallyhook is not at work: receiver', ['1 open break: missed webhook']],
        ['Deliveries of the service are missing here', ['6 open breaks: phantom delivery']],
      ],
    ],
    [
      'something else answers in our place',
      {
        swallowed: { count: 6, seconds: 60, ...SENT },
        missed: 4,
        awaited: [{ class: 'phantom', awaited: 6, missed: 4, oldestSeconds: 60, ...unsent }],
        breaks: [openBreak('phantom_delivery', 'critical', 4)],
      },
      [
        [
          'Something else answers the service in our place: nothing that it sends arrives',
          [
            '4 open breaks: phantom delivery',
            'Deliveries of the service are missing here',
            '2 deliveries not here, not overdue yet: phantom',
          ],
        ],
      ],
    ],
    [
      'phantoms that are not overdue',
      { awaited: [{ class: 'phantom', awaited: 6, missed: 0, oldestSeconds: 60, ...unsent }] },
      ['6 deliveries not here, not overdue yet: phantom'],
    ],
    [
      'a residual, and a balance that is not proven for another reason',
      {
        breaks: [openBreak('balance_residual', 'critical', 1)],
        balances: {
          total: 2,
          unproven: [
            { assetCode: 'BTC', why: '1 is unexplained', isUnexplained: true },
            { assetCode: 'ETH', why: 'no two polls agreed', isUnexplained: false },
          ],
        },
      },
      [['1 open break: balance residual', ['A balance is not proven: BTC']], 'A balance is not proven: ETH'],
    ],
  ])('%s', (_, changed, expected) => {
    expect(outline(state(changed))).toEqual(expected);
  });
});
