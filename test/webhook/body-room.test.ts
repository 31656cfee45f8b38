import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBodyRoom } from '../../src/webhook/body-room.js';

const MOST = 10;
const step = fc.record({
  does: fc.constantFrom('enter', 'grow', 'grow', 'grow', 'leave'),
  body: fc.nat({ max: 3 }),
  bytes: fc.nat({ max: 12 }),
});

test('bodies hold so much together; the one that is there the longest goes, told once, and holds nothing more', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const room = createBodyRoom(MOST);
      const shares: ReturnType<typeof room.enter>[] = [];
      /** What they hold by our own count, in the order in which they came. */
      const open = new Map<number, number>();
      const told: number[] = [];
      const gone: number[] = [];
      for (const { does, body, bytes } of steps) {
        const share = shares[body];
        if (does === 'enter') {
          const id = shares.length;
          open.set(id, 0);
          shares.push(room.enter(() => told.push(id)));
        } else if (does === 'leave') {
          share?.leave();
          open.delete(body);
        } else {
          share?.grow(bytes);
          if (open.has(body)) open.set(body, (open.get(body) ?? 0) + bytes);
        }
        for (const [id] of open) {
          if ([...open.values()].reduce((sum, held) => sum + held, 0) <= MOST) break;
          open.delete(id);
          gone.push(id);
        }
        expect(told).toEqual(gone);
      }
    }),
    { numRuns: 500 },
  );
});
