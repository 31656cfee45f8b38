import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { createStartSteps, StopRequest } from '../../src/wiring/start-steps.js';

function loggedLines() {
  const said: unknown[] = [];
  return { log: createLog('info', { write: (line) => void said.push(JSON.parse(line)) }), lines: () => said };
}
const never = () => new Promise<never>(() => {});

test('a step is named while it runs, and logged with how long it took', async () => {
  const { log, lines } = loggedLines();
  const { run, running } = createStartSteps({ log, signal: new AbortController().signal });
  expect(await run('database', () => running())).toBe('database');
  expect(running()).toBeNull();
  expect(lines()).toMatchObject([{ msg: 'start step done', step: 'database', ms: expect.any(Number) }]);
});

test('a slow step is logged once, and given up at its limit with an error that names it', async () => {
  const { log, lines } = loggedLines();
  const steps = createStartSteps({ log, signal: new AbortController().signal }, { slowMs: 5, limitMs: 40 });
  const reasons: unknown[] = [];
  const given = steps.run('receiver', (signal) => {
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    return never();
  });
  await expect(given).rejects.toThrow('The start gave up: its step "receiver" did not end within 0.04 s.');
  expect(reasons).toHaveLength(1);
  expect(lines()).toMatchObject([{ msg: 'start step is slow', step: 'receiver' }]);
  expect(steps.running()).toBeNull();
});

test('whenever the process stops, the step ends at once with that, and no further one begins', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4), fc.boolean(), async (before, tidies) => {
      const stop = new AbortController();
      const { log } = loggedLines();
      const { run } = createStartSteps({ log, signal: stop.signal });
      const begun: number[] = [];
      let tidied = false;
      const start = (async () => {
        for (let step = 0; step < 6; step += 1)
          await run(
            `step ${step}`,
            async (signal) => {
              begun.push(step);
              if (step < before) return;
              stop.abort(new StopRequest('SIGTERM'));
              if (!tidies) await never();
              await delay(1);
              tidied = true;
              signal.throwIfAborted();
            },
            { graceMs: tidies ? 10_000 : 0 },
          );
      })();
      const ended = await start.catch((error: unknown) => error);
      expect(ended).toBeInstanceOf(StopRequest);
      expect(begun).toEqual(Array.from({ length: before + 1 }, (_, step) => step));
      expect(tidied).toBe(tidies);
    }),
    { numRuns: 20 },
  );
});
