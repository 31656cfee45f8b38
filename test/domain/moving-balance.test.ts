import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changesBetween,
  type Narrowed,
  narrowed,
  onlyResidual,
  possibleResiduals,
} from '../../src/domain/balances/moving-balance.js';
import { subtractAmounts, sumAmounts } from '../../src/domain/money.js';

interface World {
  /** Each: when it moved the balance, and by how much; few prices, as a shop has. */
  movements: { at: number; amount: string }[];
  /** Each: how late after the round began each movement's list is read. */
  rounds: number[][];
  residual: string;
}

const ROUND = 100;

const worlds: fc.Arbitrary<World> = fc.record({
  movements: fc.array(
    fc.record({
      at: fc.integer({ min: -50, max: 5 * ROUND }),
      amount: fc.constantFrom('10', '10', '4.5', '-10', '-3'),
    }),
    { maxLength: 12 },
  ),
  rounds: fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 12, maxLength: 12 }), {
    minLength: 2,
    maxLength: 5,
  }),
  residual: fc.constantFrom('0', '0', '10', '-10', '-4.5', '7'),
});

/** What each round's lists show, and the poll after it. */
function playOf({ movements, rounds, residual }: World) {
  return rounds.map((lateness, n) => {
    const effects = new Map(
      movements.flatMap(({ at, amount }, m) => (at <= n * ROUND + (lateness[m] ?? 0) ? [[String(m), amount]] : [])),
    );
    const moved = movements.filter(({ at }) => at <= n * ROUND + 70).map(({ amount }) => amount);
    return { effects, balance: sumAmounts([...moved, residual]) };
  });
}

function foundIn(world: World): { found: Narrowed | null; wasStill: boolean } {
  const play = playOf(world);
  let found: Narrowed | null = null;
  let wasStill = false;
  play.slice(1).forEach(({ effects }, n) => {
    const before = play[n];
    if (before === undefined) return;
    const changes = changesBetween(before.effects, effects);
    wasStill ||= changes.length === 0;
    const left = subtractAmounts(before.balance, sumAmounts(before.effects.values()));
    found = narrowed(found, possibleResiduals(left, changes));
  });
  return { found, wasStill };
}

describe('what is unexplained of a balance that moves all the time', () => {
  it('is the truth or not known, whatever moves when', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const { found, wasStill } = foundIn(world);
        expect(found?.possible.has(world.residual)).toBe(true);
        if (found === null) return;
        expect([null, world.residual]).toContain(onlyResidual(found, null));
        // Lists that say the same before and after a poll leave nothing open.
        if (wasStill) expect([...found.possible]).toEqual([world.residual]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is known in two runs of three where every sale has one price, and one or two fall between two polls', () => {
    const sales = fc.array(fc.record({ at: fc.integer({ min: -50, max: 500 }), amount: fc.constant('10') }), {
      minLength: 6,
      maxLength: 12,
    });
    const shops = fc.sample(fc.tuple(worlds, sales), { numRuns: 1_000, seed: 7 });
    const known = shops
      .map(([world, movements]) =>
        foundIn({ ...world, rounds: [...world.rounds, ...world.rounds].slice(0, 4), movements }),
      )
      .filter(({ found }) => found?.possible.size === 1);
    expect(known.length).toBeGreaterThan(666);
  });

  it('that is new counts by two polls, nothing and what is known by one', () => {
    const once = { possible: new Set(['-5']), polls: 1 };
    expect(onlyResidual(once, null)).toBeNull();
    expect(onlyResidual(once, '-5')).toBe('-5');
    expect(onlyResidual({ ...once, polls: 2 }, null)).toBe('-5');
    expect(onlyResidual({ possible: new Set(['0']), polls: 1 }, null)).toBe('0');
    expect(onlyResidual({ possible: new Set(['0', '-5']), polls: 9 }, '-5')).toBeNull();
  });

  it('is not known of too many movements, and begins again where no two polls can both be true', () => {
    const many = Array.from({ length: 17 }, (_, n) => String(2 ** n));
    expect(possibleResiduals('0', many.slice(1))?.size).toBe(65_536);
    expect(possibleResiduals('0', many)).toBeNull();
    expect(
      possibleResiduals(
        '5',
        Array.from({ length: 200 }, () => '1'),
      )?.size,
    ).toBe(201);
    expect(narrowed({ possible: new Set(['0']), polls: 3 }, null)).toEqual({ possible: new Set(['0']), polls: 3 });
    expect(narrowed({ possible: new Set(['0']), polls: 3 }, new Set(['-5']))).toEqual({
      possible: new Set(['-5']),
      polls: 1,
    });
  });
});
