import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { absorb, joinStates, show } from '../../src/domain/merge.js';
import type { Observation } from '../../src/domain/observation.js';
import { emptyState, type RecordState, stateFromText, stateToText } from '../../src/domain/record-state.js';
import { type RecordKind, rankOn, recordKinds, recordRules, stateOn } from '../../src/domain/records.js';
import { sized } from '../support/sizes.js';

/** Spread over all kinds. A third of it is whole, too. */
const numRuns = sized(90, 60_000);

/** Few moments, few values: ties and near ties are the rule here, not the exception. */
const moment = fc.integer({ min: 0, max: 7 }).map((step) => 1_700_000_000_000 + step * 500);
const source = fc.record({
  type: fc.constantFrom('webhook', 'poll', 'delivery_history', 'api_response'),
  ref: fc.constantFrom('1', '1', '1', '2'),
});

const fieldsOf = (kind: RecordKind): fc.Arbitrary<JsonObject> => {
  const { main, side, kept, decisive } = recordRules[kind];
  const amount = fc.constantFrom('1', '2', null);
  const others = [...kept, ...decisive].filter((name) => name !== 'metadata' && name !== side?.field).slice(0, 3);
  return fc.record(
    {
      [main.field]: fc.constantFrom(...main.ranks.keys(), 'on_hold', 'frozen', null),
      ...(side === null ? {} : { [side.field]: fc.constantFrom(...side.ranks.keys(), 'appealed', null) }),
      amountRejected: amount,
      totalAmountReceived: amount,
      ...Object.fromEntries(others.map((name) => [name, fc.constantFrom<Json>('approved', 'rejected', null)])),
      metadata: fc.constantFrom<JsonObject>({ a: 'b' }, {}),
    },
    { requiredKeys: [] },
  );
};

const observationOf = (kind: RecordKind): fc.Arbitrary<Observation> => {
  const base = { kind: fc.constant(kind), id: fc.constant('x'), source };
  const span = fc.tuple(moment, fc.constantFrom(0, 200, 999)).map(([from, length]) => ({ from, to: from + length }));
  const fields = fieldsOf(kind);
  return fc
    .oneof(
      fc.record({ ...base, span, type: fc.constant('poll' as const), fields }),
      fc.record({ ...base, span, type: fc.constant('statement' as const), fields }),
      fc.record({ ...base, span, type: fc.constant('absence' as const) }),
      fc.record({ ...base, span, type: fc.constant('mention' as const) }),
    )
    .map(({ span, ...observation }) => ({ ...observation, ...span }));
};

/** Made once for each kind. */
const ofAnyKind = <T>(make: (kind: RecordKind) => fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.constantFrom(...recordKinds.map(make)).chain((one) => one);
const setOf = (kind: RecordKind) =>
  fc.record({ kind: fc.constant(kind), observations: fc.array(observationOf(kind), { minLength: 1, maxLength: 8 }) });
const set = ofAnyKind(setOf);
/** The same observations in another order, each at least once. */
const sets = set.chain(({ kind, observations }) =>
  fc.record({
    kind: fc.constant(kind),
    observations: fc.constant(observations),
    again: fc
      .array(fc.constantFrom(...observations), { maxLength: 6 })
      .chain((repeated) =>
        fc.shuffledSubarray([...observations, ...repeated], { minLength: observations.length + repeated.length }),
      ),
    cut: fc.nat(observations.length),
  }),
);

/** After every observation of a set. */
const END = 1_700_000_100_000;
const restamped = ofAnyKind((kind) => fc.record({ set: setOf(kind), read: fieldsOf(kind), fields: fieldsOf(kind) }));

const stateOf = (kind: RecordKind, observations: Observation[]): RecordState =>
  observations.reduce((state, observation) => absorb(kind, state, observation), emptyState);

const textOf = (kind: RecordKind, state: RecordState) => {
  const shown = show(kind, state);
  return [state, { ...shown, fields: canonicalJson(shown.fields) }];
};

describe('merging is a law-abiding join', () => {
  it('commutative and idempotent: any order and any repetition of the same observations', () => {
    fc.assert(
      fc.property(sets, ({ kind, observations, again }) => {
        expect(textOf(kind, stateOf(kind, again))).toEqual(textOf(kind, stateOf(kind, observations)));
      }),
      { numRuns },
    );
  });

  it('associative: however the observations are split between savers', () => {
    fc.assert(
      fc.property(sets, ({ kind, observations, again, cut }) => {
        const [left, right] = [stateOf(kind, observations.slice(0, cut)), stateOf(kind, again)];
        const whole = textOf(kind, stateOf(kind, observations));
        expect(textOf(kind, joinStates(left, right))).toEqual(whole);
        expect(textOf(kind, joinStates(right, left))).toEqual(whole);
      }),
      { numRuns },
    );
  });

  it('the same after every step has been to the database and back', () => {
    fc.assert(
      fc.property(set, ({ kind, observations }) => {
        const stored = observations.reduce(
          (state, observation) => stateFromText(stateToText(absorb(kind, state, observation))),
          emptyState,
        );
        expect(textOf(kind, stored)).toEqual(textOf(kind, stateOf(kind, observations)));
      }),
      { numRuns: numRuns / 3 },
    );
  });
});

describe('whatever was observed', () => {
  it('verified is shown only what the newest reading holds', () => {
    fc.assert(
      fc.property(set, ({ kind, observations }) => {
        const { verified, fields, absent } = show(kind, stateOf(kind, observations));
        const polls = observations.filter(({ type }) => type === 'poll' || type === 'absence');
        const newest = Math.max(...polls.map(({ from }) => from));
        const candidates = polls.filter(({ from }) => from === newest);
        if (verified) {
          expect(candidates.map((poll) => ('fields' in poll ? withoutKept(kind, poll.fields) : null))).toContainEqual(
            withoutKept(kind, fields),
          );
        }
        if (absent) expect(candidates.some(({ type }) => type === 'absence')).toBe(true);
        expect(verified && absent).toBe(false);
      }),
      { numRuns },
    );
  });

  it('a claim never takes a reading back, however late its timestamp', () => {
    fc.assert(
      fc.property(restamped, ({ set: { kind, observations }, read, fields }) => {
        const base = { kind, id: 'x', source: { type: 'delivery_history', ref: 'late' } } as const;
        const before = stateOf(kind, [...observations, { ...base, type: 'poll', from: END, to: END, fields: read }]);
        const late: Observation = { ...base, type: 'statement', from: END + 60_000, to: END + 60_999, fields };
        const after = show(kind, absorb(kind, before, late));
        const { main } = recordRules[kind];
        const rank = (fields: JsonObject) => rankOn(main, (fields[main.field] as string | null | undefined) ?? null);
        const [was, is] = [rank(show(kind, before).fields), rank(after.fields)];
        if (was !== is) expect([was, is].every((rank) => rank !== null) && Number(is) > Number(was)).toBe(true);
        if (after.verified)
          expect(withoutKept(kind, after.fields)).toEqual(withoutKept(kind, show(kind, before).fields));
        for (const name of Object.keys(before.poll?.fields ?? {})) expect(Object.hasOwn(after.fields, name)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('reports change nothing of what polls, own calls and the delivery history show, at any moment', () => {
    fc.assert(
      fc.property(set, ({ kind, observations }) => {
        const isReport = ({ type, source }: Observation) =>
          source.type === 'webhook' && (type === 'statement' || type === 'mention');
        const proven = show(
          kind,
          stateOf(
            kind,
            observations.filter((one) => !isReport(one)),
          ),
        );
        const all = show(kind, stateOf(kind, observations));
        const { fields, verified, verifiedAt, absent, known, ownCall, reported } = all;
        expect({ fields, verified, verifiedAt, absent, known, ownCall }).toEqual({
          fields: proven.fields,
          verified: proven.verified,
          verifiedAt: proven.verifiedAt,
          absent: proven.absent,
          known: proven.known,
          ownCall: proven.ownCall,
        });
        if (known || absent) expect([all.observedAt, all.observedBy]).toEqual([proven.observedAt, proven.observedBy]);
        for (const [name, value] of Object.entries(reported ?? {})) {
          expect(canonicalJson(value ?? null)).not.toBe(
            name in fields ? canonicalJson(fields[name] ?? null) : 'absent',
          );
        }
      }),
      { numRuns },
    );
  });

  it('the witness that is named said the state that is shown, or what reports alone say; or saw that the record is absent', () => {
    fc.assert(
      fc.property(set, ({ kind, observations }) => {
        const { main } = recordRules[kind];
        const shown = show(kind, stateOf(kind, observations));
        const named = observations.filter(
          ({ from, source }) =>
            from === shown.observedAt && canonicalJson({ ...source }) === canonicalJson({ ...shown.observedBy }),
        );
        expect(named).not.toEqual([]);
        const state = stateOn(main, (shown.known ? shown.fields : shown.reported) ?? {});
        const said = named.map((one) => ('fields' in one ? stateOn(main, one.fields) : null));
        if (shown.absent) expect(named.map(({ type }) => type)).toContain('absence');
        else if (state !== null) expect(said).toContain(state);
        if (shown.verified) expect(named.map(({ type }) => type)).toContain('poll');
      }),
      { numRuns },
    );
  });

  it('a poll that began after all of it leaves nothing to read', () => {
    fc.assert(
      fc.property(set, ({ kind, observations }) => {
        const base = { kind, id: 'x', from: END, to: END + 1, source: { type: 'poll', ref: 'last' } } as const;
        const state = stateOf(kind, observations);
        const read = show(kind, absorb(kind, state, { ...base, type: 'poll', fields: { status: 'pending' } }));
        expect(read).toMatchObject({ verified: true, needsPoll: false, doubted: false, verifiedAt: END });
        const gone = show(kind, absorb(kind, state, { ...base, type: 'absence' }));
        expect(gone).toMatchObject({ verified: false, absent: true, needsPoll: false });
      }),
      { numRuns: numRuns / 3 },
    );
  });
});

function withoutKept(kind: RecordKind, fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !recordRules[kind].kept.includes(key)));
}
