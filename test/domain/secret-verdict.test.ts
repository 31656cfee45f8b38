import { describe, expect, it, test } from 'vitest';
import { findEndpointFaults, type ListedEndpoint } from '../../src/domain/deliveries/endpoint-rules.js';
import { classifySecret, type SecretFacts, type VerdictFacts } from '../../src/domain/deliveries/secret-verdict.js';

const old: SecretFacts = {
  label: 'old',
  retired: false,
  firstMatchAt: 1_000,
  endpoint: { id: 'e1', isActive: true, events: ['a', 'b'] },
  pending: 0,
};
const fresh: SecretFacts = {
  label: 'new',
  retired: false,
  firstMatchAt: 2_000,
  endpoint: { id: 'e2', isActive: true, events: ['a', 'b', 'c'] },
  pending: 3,
};
const none = { both: 5, onlyOld: [], onlyOldCount: 0 };

function judge(change: {
  secret?: Partial<SecretFacts>;
  other?: Partial<SecretFacts> | null;
  overlap?: VerdictFacts['overlap'];
  historyKnown?: boolean;
}) {
  return classifySecret({
    secret: { ...old, ...change.secret },
    others: change.other === null ? [] : [{ ...fresh, ...change.other }],
    overlap: change.overlap ?? (() => none),
    historyKnown: change.historyKnown ?? true,
    rejected: 0,
    secretsFrom: null,
  });
}

describe('may the old secret be retired?', () => {
  const endpoint = { id: 'e2', isActive: true, events: ['a', 'b'] };
  it.each([
    ['everything speaks for it', {}, 'may_be_retired', null],
    ['it is retired', { secret: { retired: true } }, 'retired', null],
    ['it is the only one', { other: null }, 'keep', 'only secret'],
    ['the only other one is retired', { other: { retired: true } }, 'keep', 'only secret'],
    ['the new one has not matched', { other: { firstMatchAt: null } }, 'keep', '"new" has not matched yet'],
    ['it is the newer one itself', { secret: { firstMatchAt: 3_000 } }, 'keep', 'newest'],
    ['it never matched', { secret: { firstMatchAt: null } }, 'undetermined', 'not matched'],
    ['its endpoint is not known', { secret: { endpoint: null } }, 'undetermined', 'which endpoint signs with "old"'],
    [
      'the other’s endpoint is not known',
      { other: { endpoint: null } },
      'undetermined',
      'which endpoint signs with "new"',
    ],
    [
      'endpoints can not be listed',
      { other: { endpoint: { ...endpoint, events: null } } },
      'undetermined',
      'subscribes to',
    ],
    ['the history was not read', { historyKnown: false }, 'undetermined', 'delivery history'],
    [
      'a type is not subscribed to',
      { other: { endpoint: { ...endpoint, events: ['a'] } } },
      'keep',
      'does not subscribe to b',
    ],
    ['the new endpoint is off', { other: { endpoint: { ...endpoint, isActive: false } } }, 'keep', 'not active'],
    [
      'an event came under the old alone',
      { overlap: () => ({ both: 4, onlyOld: ['event 9'], onlyOldCount: 1 }) },
      'keep',
      'event 9',
    ],
    ['a delivery is pending', { secret: { pending: 1 } }, 'keep', '1 delivery under'],
    ['the new endpoint takes all', { other: { endpoint: { ...endpoint, events: ['*'] } } }, 'may_be_retired', null],
  ] as const)('%s', (_name, change, verdict, missing) => {
    const judged = judge(change);
    expect(judged.verdict).toBe(verdict);
    if (missing === null) expect(judged.missing).toEqual([]);
    else expect(judged.missing.join()).toContain(missing);
  });

  test('of several newer ones, one that has everything is enough', () => {
    const others = [{ ...fresh, label: 'broken', endpoint: null }, fresh];
    const judged = classifySecret({
      secret: old,
      others,
      overlap: () => none,
      historyKnown: true,
      rejected: 0,
      secretsFrom: null,
    });
    expect(judged).toMatchObject({ verdict: 'may_be_retired', missing: [], successor: 'new' });
  });
});

describe('what is wrong with our endpoints', () => {
  const own = { publicUrl: 'https://shop.example/hooks', webhookPath: '/webhooks' };
  const endpoint = (id: string, changes: Partial<ListedEndpoint> = {}): ListedEndpoint => ({
    id,
    url: 'https://shop.example/hooks',
    events: ['a', 'b'],
    isActive: true,
    ...changes,
  });
  const faults = (...listed: ListedEndpoint[]) =>
    findEndpointFaults(listed, { own, needed: ['a', 'b'] }).map(({ kind, id }) => [kind, id]);

  it.each([
    ['nothing', [endpoint('e1')], []],
    ['none is ours', [endpoint('e1', { url: 'https://other.example/' })], [['endpoint_inactive', own.publicUrl]]],
    ['there is none at all', [], [['endpoint_inactive', own.publicUrl]]],
    ['ours is off', [endpoint('e1', { isActive: false })], [['endpoint_inactive', 'e1']]],
    ['ours is off and names no type', [endpoint('e1', { isActive: false, events: [] })], [['endpoint_inactive', 'e1']]],
    ['the old one is off, the new one has taken its place', [endpoint('e2'), endpoint('e1', { isActive: false })], []],
    [
      'the old one is off, and the new one lacks a type',
      [endpoint('e2', { events: ['a'] }), endpoint('e1', { isActive: false })],
      [
        ['endpoint_inactive', 'e1'],
        ['endpoint_unsubscribed', 'e2'],
      ],
    ],
    ['two share the work', [endpoint('e1', { events: ['a'] }), endpoint('e2', { events: ['b'] })], []],
    ['a type is missing', [endpoint('e1', { events: ['a'] })], [['endpoint_unsubscribed', 'e1']]],
    ['a pattern covers it', [endpoint('e1', { events: ['*'] })], []],
    ['what it subscribes to is not shown', [endpoint('e1', { events: null })], []],
  ] as [string, ListedEndpoint[], string[][]][])('%s', (_name, listed, expected) => {
    expect(faults(...listed)).toEqual(expected);
  });
});
