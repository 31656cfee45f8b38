import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everyRole } from '../../src/domain/console-roles.js';
import { stateOf } from '../../src/domain/state/state.js';
import {
  type Asked,
  decisionStates,
  gated,
  gatedActions,
  isSamePerson,
  type Person,
  stateAfter,
  verdicts,
  whyNotAsk,
  whyNotDecide,
} from '../../src/domain/two-people.js';
import { calm } from './calm-facts.js';
import { NOW } from './random-facts.js';

/** Names, and who they are: said here once more, not by the rule. */
const names = {
  ann: 1,
  Ann: 1,
  ANN: 1,
  'os:ann': 1,
  ben: 2,
  'os:ben': 2,
  'os:root': 3,
  cleo: 4,
  'cleo.os': 5,
} as const;
type Name = keyof typeof names;
const person = fc.record({
  name: fc.constantFrom(...(Object.keys(names) as Name[])),
  role: fc.constantFrom(...everyRole, null),
});
const action = fc.constantFrom(...gatedActions);
const place = fc.nat(2);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant('ask' as const), by: person, action }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constantFrom(...verdicts, 'approve' as const), by: person, place }) },
  // What the books say is something else from now on.
  { weight: 1, arbitrary: fc.record({ is: fc.constant('change' as const) }) },
);

interface Done {
  asked: Asked;
  asker: Person;
  approver: Person;
  books: string;
}

/** Whoever asks and decides as they like: what is done. */
function play(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) {
  let books = 0;
  const kept: { asked: Asked; asker: Person }[] = [];
  const done: Done[] = [];
  for (const one of steps) {
    if (one.is === 'change') books += 1;
    else if (one.is === 'ask') {
      if (whyNotAsk(one.by, one.action) !== null) continue;
      const asked = { action: one.action, state: 'waiting', askedBy: one.by.name, seen: String(books) } as const;
      kept.push({ asked, asker: one.by });
    } else {
      const found = kept[one.place];
      if (found === undefined || whyNotDecide(one.is, one.by, found.asked) !== null) continue;
      const { asked, asker } = found;
      const state = stateAfter(one.is, asked, one.is === 'approve' ? String(books) : null);
      if (state === 'approved') done.push({ asked, asker, approver: one.by, books: String(books) });
      kept[one.place] = { asker, asked: { ...asked, state } };
    }
  }
  return { kept, done };
}

const steps = fc.array(step, { minLength: 10, maxLength: 40 });
const whoIs = ({ name }: Person) => names[name as Name];

describe('whatever people ask for and decide', () => {
  it('nothing is done by one person, nor by somebody without the role', () => {
    let seen = 0;
    fc.assert(
      fc.property(steps, (given) => {
        for (const { asked, asker, approver } of play(given).done) {
          seen += 1;
          expect(whoIs(asker)).not.toBe(whoIs(approver));
          expect([...gated[asked.action], 'admin']).toContain(approver.role);
          expect([...gated[asked.action], 'admin', null]).toContain(asker.role);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(seen).toBeGreaterThan(100);
  });

  it('nothing is done twice, and only what the asker was shown', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const { kept, done } = play(given);
        expect(done.length).toBe(kept.filter(({ asked }) => asked.state === 'approved').length);
        for (const { asked, books } of done) expect(asked.seen).toBe(books);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a decision comes to be in each of its states, and in no other', () => {
    const seen = new Set<string>();
    fc.assert(fc.property(steps, (given) => play(given).kept.forEach(({ asked }) => seen.add(asked.state))));
    expect([...seen].toSorted()).toEqual([...decisionStates].toSorted());
  });

  it('it is withdrawn by who asked alone, and refused by another', () => {
    fc.assert(
      fc.property(person, person, action, (asker, other, what) => {
        const asked = { action: what, state: 'waiting', askedBy: asker.name, seen: 'x' } as const;
        const isOne = whoIs(asker) === whoIs(other);
        expect(whyNotDecide('withdraw', other, asked) === null).toBe(isOne);
        if (isOne) expect(whyNotDecide('refuse', other, asked)).not.toBeNull();
        expect(isSamePerson(asker.name, other.name)).toBe(isOne);
      }),
    );
  });

  it('what is decided stays so', () => {
    fc.assert(
      fc.property(
        person,
        fc.constantFrom(...verdicts),
        action,
        fc.constantFrom('approved', 'refused', 'withdrawn', 'expired'),
        (by, verdict, what, state) => {
          const asked = { action: what, state, askedBy: 'ann', seen: 'x' } as const;
          expect(whyNotDecide(verdict, by, asked)).toBe(`It is ${state} already`);
        },
      ),
    );
  });
});

it('each verdict comes to a state of its own, and approval of what has changed since to another', () => {
  const asked = { action: 'close period', state: 'waiting', askedBy: 'ann', seen: 'x' } as const;
  const come = (now: string) =>
    Object.fromEntries(verdicts.map((verdict) => [verdict, stateAfter(verdict, asked, now)]));
  expect(come('x')).toEqual({ approve: 'approved', refuse: 'refused', withdraw: 'withdrawn' });
  expect(come('y')).toEqual({ approve: 'expired', refuse: 'refused', withdraw: 'withdrawn' });
});

it.each(gatedActions)('%s is asked for and decided by finance and admin alone', (of) => {
  const asked = { action: of, state: 'waiting', askedBy: 'ann', seen: 'x' } as const;
  const may = (why: (by: Person) => string | null) =>
    everyRole.filter((role) => why({ name: 'ben', role }) === null).toSorted();
  const both = ['admin', 'finance'];
  expect(may((by) => whyNotAsk(by, of))).toEqual(both);
  for (const verdict of ['approve', 'refuse'] as const)
    expect(may((by) => whyNotDecide(verdict, by, asked))).toEqual(both);
});

it.each([
  [{ name: 'omar', role: 'operator' }, 'needs the role finance or admin, not operator'],
  [{ name: 'os:omar', role: null }, 'set TALLYHOOK_TOKEN'],
  [{ name: 'Ann', role: 'admin' }, 'another person decides'],
] as const)('%j is told why', (by, why) => {
  const asked = { action: 'close period', state: 'waiting', askedBy: 'ann', seen: 'x' } as const;
  expect(whyNotDecide('approve', by, asked)).toContain(why);
  if (by.role !== 'admin') expect(whyNotAsk(by, 'close period')).toContain(why);
});

it.each([
  [86_400, null],
  [90_000, '/decisions'],
])('what waits for a second person for %i s is said once that is more than a day', (oldestSeconds, page) => {
  const { problems } = stateOf({ ...calm, decisions: { waiting: 2, oldestSeconds } }, [], NOW);
  expect(problems.map((one) => [one.page, one.count])).toEqual(page === null ? [] : [[page, 2]]);
});
