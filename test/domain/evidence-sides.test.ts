import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evidenceSides } from '../../src/domain/breaks/evidence-sides.js';
import type { Json, JsonObject } from '../../src/domain/json.js';

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(null, 'open', 'paid', true),
  fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
  fc.constantFrom<Json>({ a: '1', b: '2' }, { b: '2', a: '1' }),
);
const side = fc.oneof(value, fc.dictionary(fc.constantFrom('status', 'amount', 'source'), value, { maxKeys: 3 }));
const both = fc.record({ ours: value, theirs: value, source: value });
const evidence: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('ours', 'theirs', 'source', 'fee', 'since'),
  fc.oneof(side, both),
);

test('law: nothing of the evidence is lost, and nothing is marked of which a side says nothing', () => {
  fc.assert(
    fc.property(evidence, (given) => {
      const { fields, knownFrom, besides } = evidenceSides(given);
      const shown = JSON.stringify([fields, knownFrom, besides]);
      for (const [name, said] of Object.entries(given))
        for (const part of partsOf(name, said, knownFrom !== null)) expect(shown).toContain(JSON.stringify(part));
      for (const { ours, theirs, differs } of fields) if (ours === null || theirs === null) expect(differs).toBe(false);
    }),
  );
});

/** What has to stand somewhere. The source of both sides stands with the service's, and only where these have fields. */
function partsOf(name: string, said: Json, hasSides: boolean): Json[] {
  if (name === 'source') return [];
  if (name !== 'ours' && name !== 'theirs') return [name];
  if (said === null || typeof said !== 'object' || Array.isArray(said)) return said === null ? [] : [said];
  return Object.entries(said).flatMap(([key, one]) => (key === 'source' && !hasSides ? [] : [one ?? null]));
}

test('the order of names inside a value makes no difference; two sides of which one is not said differ in nothing', () => {
  const { fields } = evidenceSides({
    ours: { a: { x: '1', y: '2' }, b: '1', c: null },
    theirs: { a: { y: '2', x: '1' }, b: '2', c: '3' },
  });
  expect(fields.map(({ name, differs }) => [name, differs])).toEqual([
    ['a', false],
    ['b', true],
    ['c', false],
  ]);
});
