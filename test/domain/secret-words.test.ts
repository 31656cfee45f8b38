import { describe, expect, it, test } from 'vitest';
import { findEndpointFaults, type ListedEndpoint } from '../../src/domain/deliveries/endpoint-rules.js';
import { leakLines, leakOf, leakWords } from '../../src/domain/deliveries/secret-leak.js';
import {
  classifySecret,
  LEARN_ENDPOINT,
  lackingEvents,
  retirement,
  type SecretFacts,
  type VerdictFacts,
} from '../../src/domain/deliveries/secret-verdict.js';
import { rejectionWords } from '../../src/domain/rejection-words.js';

const endpoint = { id: 'e1', isActive: true, events: ['a', 'b'] };
const old: SecretFacts = { label: 'old', retired: false, firstMatchAt: 1_000, endpoint, pending: 0 };
const fresh: SecretFacts = { ...old, label: 'new', firstMatchAt: 2_000, endpoint: { ...endpoint, id: 'e2' } };

describe('what is said of a secret', () => {
  const none = { both: 5, onlyOld: [], onlyOldCount: 0 };
  const judge = (secret: SecretFacts, others: SecretFacts[], about: Partial<VerdictFacts> = {}) =>
    classifySecret({
      secret,
      others,
      overlap: () => none,
      historyKnown: true,
      rejected: 0,
      secretsFrom: null,
      ...about,
    });
  const keep = (what: string, next: string, successor: string | null = null) => {
    return { verdict: 'keep', missing: [what], successor, next };
  };
  const unknown = (what: string, next: string, successor: string | null = 'new') => {
    return { verdict: 'undetermined', missing: [what], successor, next };
  };
  const READ = 'tallyhook reconcile endpoints deliveries';
  const ALONE = 'it is the only secret that is accepted';
  const off = { ...fresh, endpoint: { ...endpoint, id: 'e2', isActive: false } };
  const several = { both: 1, onlyOld: ['1', '2', '3', '4', '5', '6'], onlyOldCount: 6 };
  const why = 'If you know, and they are here: tallyhook secrets retire old --force --note "why" (step 4).';

  test.each<[object, ReturnType<typeof judge>]>([
    [
      {
        verdict: 'may_be_retired',
        missing: [],
        successor: 'new',
        next: 'Retire it: tallyhook secrets retire old (step 5).',
      },
      judge(old, [fresh]),
    ],
    [
      {
        verdict: 'retired',
        missing: [],
        successor: null,
        next: 'Delete the endpoint e1 in the service’s dashboard (step 6).',
      },
      judge({ ...old, retired: true }, [fresh]),
    ],
    [
      {
        verdict: 'retired',
        missing: [],
        successor: null,
        next: 'Delete its endpoint in the service’s dashboard (step 6).',
      },
      judge({ ...old, retired: true, endpoint: null }, [fresh]),
    ],
    [
      keep(ALONE, 'Wait for the first event, or send a test from the dashboard.'),
      judge({ ...old, firstMatchAt: null }, []),
    ],
    [
      keep(
        ALONE,
        `Its endpoint has to be known, to see forged events and before a rotation: ${LEARN_ENDPOINT} (step 1).`,
      ),
      judge({ ...old, endpoint: null }, [{ ...fresh, retired: true }]),
    ],
    [
      keep(ALONE, 'Nothing. To change it, make a new endpoint and add its secret beside this one (steps 2 and 3).'),
      judge(old, []),
    ],
    [
      unknown(
        'it has not matched yet',
        'Wait for the first event under "old", or send a test to its endpoint from the dashboard (step 3).',
        null,
      ),
      judge({ ...old, firstMatchAt: null }, [fresh]),
    ],
    [
      keep('"x", "y" has not matched yet', 'Wait until "x", "y" has matched (step 3).'),
      judge(
        old,
        ['x', 'y'].map((label) => ({ ...fresh, label, firstMatchAt: null })),
      ),
    ],
    [keep('it is the newest that matched', 'Keep it: it stays.'), judge(fresh, [old])],
    [keep('it is the newest that matched', 'Keep it: it stays.'), judge(old, [{ ...fresh, firstMatchAt: 1_000 }])],
    [
      keep('it is the newest that matched', `Keep it. Its endpoint has to be known: ${LEARN_ENDPOINT} (step 4).`),
      judge({ ...fresh, endpoint: null }, [old]),
    ],
    [
      keep(
        'the endpoint of "new" is not active',
        'Switch the endpoint e2 on in the service’s dashboard (step 2).',
        'new',
      ),
      judge(old, [off]),
    ],
    [
      keep(
        'the endpoint of "new" does not subscribe to a, b',
        'Subscribe the endpoint e2 to a, b in the service’s dashboard (step 2).',
        'new',
      ),
      judge(old, [{ ...fresh, endpoint: { ...endpoint, id: 'e2', events: [] } }]),
    ],
    [
      keep(
        '6 events came under "old" and not under "new": 1, 2, 3, 4, 5',
        `Find out why these did not come under "new". ${why}`,
        'new',
      ),
      judge(old, [fresh], { overlap: () => several }),
    ],
    [
      keep(
        '1 event came under "old" and not under "new": 1',
        `Find out why these did not come under "new". ${why}`,
        'new',
      ),
      judge(old, [fresh], {
        overlap: (label) => (label === 'new' ? { ...several, onlyOld: ['1'], onlyOldCount: 1 } : none),
      }),
    ],
    [
      keep('1 delivery under "old" still pending', 'Wait: the service is still at it (step 4).', 'new'),
      judge({ ...old, pending: 1 }, [fresh]),
    ],
    [
      keep('2 deliveries under "old" still pending', 'Wait: the service is still at it (step 4).', 'new'),
      judge({ ...old, pending: 2 }, [fresh]),
    ],
    [
      unknown('which endpoint signs with "new" is not known yet', `To have it known, ${LEARN_ENDPOINT} (step 4).`),
      judge(old, [{ ...fresh, endpoint: null }]),
    ],
    [
      unknown('what the endpoint of "old" subscribes to is not known', `Run ${READ} (step 4).`),
      judge({ ...old, endpoint: { ...endpoint, events: null } }, [fresh]),
    ],
    [
      unknown(`the delivery history was not read lately: ${READ}`, `Run ${READ} (step 4).`),
      judge(old, [fresh], { historyKnown: false }),
    ],
  ])('%j', (expected, judged) => expect(judged).toEqual(expected));

  it('is by the successor that has the most of it: one that lacks something before one of which nothing is known', () => {
    const unclear = { ...fresh, label: 'unclear', endpoint: null };
    const lacking = { ...off, label: 'lacking' };
    expect(judge(old, [unclear, lacking]).successor).toBe('lacking');
    expect(judge(old, [unclear, lacking, fresh]).successor).toBe('new');
    expect(judge(old, [{ ...unclear, firstMatchAt: 500 }, fresh]).successor).toBe('new');
    expect(judge({ ...old, endpoint: { ...endpoint, isActive: false } }, [fresh]).verdict).toBe('may_be_retired');
  });

  it('may be retired with the verdict, or by force; once', () => {
    const verdicts = ['may_be_retired', 'keep', 'undetermined', 'retired'] as const;
    expect(verdicts.map((verdict) => retirement({ verdict }, false))).toEqual([
      'allowed',
      'refused',
      'refused',
      'already',
    ]);
    expect(verdicts.map((verdict) => retirement({ verdict }, true))).toEqual([
      'allowed',
      'allowed',
      'allowed',
      'already',
    ]);
  });

  it('is covered by a type, a pattern of its beginning, or all', () => {
    expect(lackingEvents(['payout.a', 'payin.a', 'payoutx'], ['payout.*'])).toEqual(['payin.a', 'payoutx']);
    expect(lackingEvents(['payout.a'], ['payout'])).toEqual(['payout.a']);
    expect(lackingEvents(['payout.a'], ['*'])).toEqual([]);
    expect(lackingEvents(['payout.a', 'payout.b'], ['payin.*', 'payout.a'])).toEqual(['payout.b']);
  });
});

describe('what is said of a secret that may have leaked', () => {
  const facts = { secret: old, hasMatched: true, notSent: 0, unmatched: 4, lacking: 0 };
  const fine = { ...facts, endpointListed: true, historyKnown: true, historyReason: null };
  it.each([
    [{ lacking: 1 }, 'the delivery history lacks 1 event, and may differ from what was sent'],
    [{ historyKnown: false }, 'the delivery history was not read completely within a day'],
    [
      { historyKnown: false, historyReason: 'rejected' },
      'the delivery history was not read completely within a day: rejected',
    ],
    [{ secret: { ...old, endpoint: null } }, `which endpoint signs with "old" is not known yet: ${LEARN_ENDPOINT}`],
    [{ endpointListed: false }, 'the service does not list the endpoint of "old"'],
    [{}, null],
  ])('%j: %s', (given, notKnown) => {
    const lacking = 'lacking' in given ? 1 : 0;
    expect(leakOf({ ...fine, ...given })).toEqual({
      notSent: notKnown === null ? 0 : null,
      unmatched: 4,
      lacking,
      untold: notKnown,
    });
  });

  it('is in words what a person does next', () => {
    const words = (notSent: number | null, lacking: number) => leakWords({ label: 'old', notSent, lacking });
    const leaked = 'This secret may have leaked';
    const rotate = 'Rotate it now: “When a secret leaked”.';
    expect(words(1, 0)).toBe(`${leaked}: 1 event that the service did not send came under "old". ${rotate}`);
    expect(words(2, 1)).toBe(
      `${leaked}: 2 events that the service did not send came under "old", and the delivery history lacks 1 more. ${rotate}`,
    );
    expect(words(0, 1)).toBe(
      `${leaked}, or the history lacks events: it has not 1 event that came under "old". Compare those that the break history_differs names with the service’s dashboard. If it does not show what they say, rotate: “When a secret leaked”.`,
    );
  });

  it('says in lines what came of saying so', () => {
    expect(leakLines({ disproved: 0, undecided: 0, orders: [], breaks: {} })).toEqual([
      'not sent by the service: 0 events that the delivery history lacked while it was in doubt',
      'orders that are other than before: none',
      'breaks resolved: none',
    ]);
    const orders = Array.from({ length: 21 }, (_, n) => `o${n}`);
    const breaks = { history_differs: 1, event_not_sent: 2 };
    expect(leakLines({ disproved: 1, undecided: 1, orders, breaks })).toEqual([
      'not sent by the service: 1 event that the delivery history lacked while it was in doubt',
      `orders that are other than before: ${orders.slice(0, 20).join(', ')} and 1 more`,
      'breaks resolved: 1 history_differs, 2 event_not_sent',
      'not decided yet: 1 event. Keep its endpoint until they are, and run: tallyhook reconcile endpoints deliveries',
    ]);
    const [, named] = leakLines({ disproved: 0, undecided: 0, orders: orders.slice(1), breaks: {} });
    expect(named).toBe(`orders that are other than before: ${orders.slice(1).join(', ')}`);
  });
});

describe('what is said of our endpoints', () => {
  const url = 'https://shop.example/hooks';
  const of = (listed: ListedEndpoint[], publicUrl: string | null = url) =>
    findEndpointFaults(listed, { own: { publicUrl, webhookPath: '/hooks' }, needed: ['a', 'b'] });
  const ours = (about: Partial<ListedEndpoint> = {}) => ({
    id: 'e1',
    url,
    events: ['a', 'b'],
    isActive: true,
    ...about,
  });

  it('none is ours', () => {
    const [fault] = of([ours({ url: null })], null);
    const evidence = { ours: { url: '/hooks' }, theirs: { endpoints: [null] } };
    expect(fault).toEqual({ kind: 'endpoint_inactive', id: '/hooks', evidence });
  });

  it('one is off, and another lacks what it was for', () => {
    expect(of([ours({ isActive: false, events: ['c'] }), ours({ id: 'e2', events: ['a'] })])).toEqual([
      {
        kind: 'endpoint_inactive',
        id: 'e1',
        evidence: { ours: { needed: ['a', 'b'] }, theirs: { url, isActive: false } },
      },
      {
        kind: 'endpoint_unsubscribed',
        id: 'e2',
        evidence: { ours: { needed: ['a', 'b'] }, theirs: { url, events: ['a'], lacking: ['b'] } },
      },
    ]);
    expect(of([ours({ isActive: false, events: null }), ours({ id: 'e2', isActive: null })])).toEqual([]);
    expect(of([ours({ isActive: false, events: ['c'] }), ours({ id: 'e2', events: null })])).toEqual([]);
  });
});

test('every reason for which a delivery is rejected is explained, and what to do about it', () => {
  for (const [reason, { means, remedy }] of Object.entries(rejectionWords))
    expect([reason, means, remedy]).toEqual([reason, expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
});
