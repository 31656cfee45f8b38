import type { Transform } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BodyRoom } from '../../src/webhook/body-room.js';

const MOST = 50_000;
const step = fc.record({
  does: fc.constantFrom('enter', 'send', 'send', 'send', 'send', 'end', 'leave'),
  body: fc.nat({ max: 5 }),
  bytes: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 30_000 })),
});

test('senders of any kind hold so much together; the one that is there the longest goes, once, and holds nothing more', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const room = new BodyRoom(MOST);
      const bodies: Transform[] = [];
      /** What they hold by our own count, in the order in which they came. */
      const open = new Map<number, number>();
      const errors: number[] = [];
      const gone: number[] = [];
      for (const { does, body, bytes } of steps) {
        const chosen = bodies[body];
        if (does === 'enter') {
          const id = bodies.length;
          open.set(id, 0);
          bodies.push(
            room
              .enter()
              .resume()
              .on('error', () => errors.push(id)),
          );
        } else if (does === 'leave') {
          chosen?.destroy();
          open.delete(body);
        } else if (does === 'end') {
          if (chosen?.writable) chosen.end();
          open.delete(body);
        } else if (chosen?.writable) {
          chosen.write(Buffer.alloc(bytes));
          open.set(body, (open.get(body) ?? 0) + bytes);
        }
        for (const [id] of open) {
          if ([...open.values()].reduce((sum, held) => sum + held, 0) <= MOST) break;
          open.delete(id);
          gone.push(id);
        }
        await turn();
        expect(errors).toEqual(gone);
        expect(bodies.flatMap(({ destroyed }, id) => (destroyed ? [] : [id]))).toEqual([...open.keys()]);
      }
    }),
    { numRuns: 300 },
  );
});

test('small pieces are joined before they are handed on', () => {
  const pieces: Buffer[] = [];
  const body = new BodyRoom(1024 * 1024).enter().on('data', (piece: Buffer) => void pieces.push(piece));
  const sent = Buffer.from(Array.from({ length: 40_000 }, (_, i) => i % 251));
  for (const byte of sent) body.write(Buffer.from([byte]));
  expect(pieces.length).toBe(2);
  expect(Buffer.concat(pieces)).toEqual(sent.subarray(0, 2 * 16 * 1024));
});

test('one that has to go when nobody listens any more ends quietly', async () => {
  const body = new BodyRoom(10).enter();
  body.write(Buffer.alloc(11));
  await turn();
  expect(body.errored?.message).toBe('the body was evicted');
});
