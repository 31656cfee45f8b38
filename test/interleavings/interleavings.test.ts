import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { worldOf } from './world.js';
vi.mock('../../src/reconcile/reconcilers.js', () => ({ reconcilers: {}, afterRun: async () => {} }));
const world = (seed: number) => JSON.stringify({ ...worldOf(seed), known: 0, savers: 0, pages: 0, told: 0, stranded: 0, arriving: 0 });
import { openTheatre, type Theatre } from './play.js';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
});
afterAll(() => theatre.close());

test('x', async () => {
  const from = Number(process.env.FROM ?? 1);
  const n = Number(process.env.N ?? 5);
  const t0 = performance.now();
  let bad = 0;
  let st = 0;
  for (let seed = from; seed < from + n; seed++) {
    const t = performance.now();
    const p = await theatre.play(seed);
    st += p.trace.length;
    if (p.wrong.length > 0) bad++;
    if (n <= 10 || p.wrong.length) console.log(seed, p.digest, p.trace.length, Math.round(performance.now() - t), p.wrong.join('\n').slice(0, 3000));
    if (process.env.TWICE) { const q = await theatre.play(seed); if (q.digest !== p.digest) { const at = q.trace.findIndex((l, i) => l !== p.trace[i]); console.log('DIFFERS', seed, at, p.trace.slice(at - 8, at + 2).map((l) => l.slice(0, 100)), q.trace.slice(at, at + 2).map((l) => l.slice(0, 100)), world(seed)); } }
    if (process.env.TRACE) console.log(p.trace.map((l) => l.slice(0, 150)).join('\n'));
  }
  console.log(process.cpuUsage(), 'bad', bad, 'of', n, 'statements', st, 'ms', Math.round(performance.now() - t0));
  expect(bad).toBe(0);
}, 3_000_000);
