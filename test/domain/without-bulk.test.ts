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
