import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutBulk } from '../../src/domain/without-bulk.js';

test('a report keeps its small fields as they are, and says of a large one how large it was', () => {
  const fields = { id: 'pi_1', status: 'completed', metadata: { note: 'x'.repeat(20_000) }, memo: 'y'.repeat(9_000) };
  expect(withoutBulk(fields)).toEqual({ ...fields, metadata: '(left out: 20019 characters)' });
  const small = { id: 'pi_1', metadata: { note: 'x'.repeat(15_000) } };
  expect(withoutBulk(small)).toBe(small);
});

test('of a large report, a field with a name that no service gives is left out', () => {
  expect(withoutBulk({ id: 'pi_1', [`x`.repeat(20_000)]: '1' })).toEqual({ id: 'pi_1' });
});

test('whatever a report says, a bounded part of it is kept, every field has its name, and twice is once', () => {
  const text = fc.string({ maxLength: 40 }).map((part) => part.repeat(600));
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 8 }), text, { maxKeys: 30 }), (fields) => {
      const kept = withoutBulk(fields);
      expect(JSON.stringify(kept).length).toBeLessThan(64_000 + 30 * 60);
      expect(Object.keys(kept)).toEqual(Object.keys(fields));
      expect(withoutBulk(kept)).toEqual(kept);
    }),
  );
});

test('up to 16,000 characters in all nothing is left out, nor a field of 16,000; of all 64,000 are kept, the smallest first', () => {
  const sized = (name: string, size: number) => [name, 'x'.repeat(size - name.length - 2)] as const;
  const left = (...sizes: number[]) => {
    const fields = Object.fromEntries(sizes.map((size, at) => sized(`f${at}`, size)));
    const kept = withoutBulk(fields);
    return sizes.filter((size, at) => {
      if (kept[`f${at}`] === fields[`f${at}`]) return false;
      expect(kept[`f${at}`]).toBe(`(left out: ${size} characters)`);
      return true;
    });
  };
  expect([left(16_000), left(16_001), left(16_000, 16_000), left(16_001, 20)]).toEqual([[], [16_001], [], [16_001]]);
  expect(left(16_000, 16_000, 16_000, 16_000)).toEqual([]);
  expect(left(16_000, 15_000, 16_000, 16_000, 9_000, 8_000)).toEqual([16_000]);
  expect(left(16_000, 15_000, 16_000, 16_000, 9_000, 8_001)).toEqual([16_000, 16_000]);
  expect(left(16_000, 15_999, 15_998, 15_997, 100)).toEqual([16_000]);
});

test('a name is kept up to 200 characters, and null stays null', () => {
  const [long, longer] = ['n'.repeat(200), 'n'.repeat(201)];
  const kept = withoutBulk({ [long]: '1', [longer]: '2', none: null, bulk: 'x'.repeat(17_000) });
  expect(Object.keys(kept)).toEqual([long, 'none', 'bulk']);
  expect(kept).toMatchObject({ [long]: '1', none: null });
});
