import * as fc from 'fast-check';
import { it } from 'vitest';
import { run } from './random-actions.js';
import { command } from './random-commands.js';
import { open } from './random-world.js';

const RUNS = process.env.TALLYHOOK_LONG ? 90 : 14;
const COMMANDS = 60;

it('random requests leave the books in order, are refused where that is promised, and never break the service', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: COMMANDS, maxLength: COMMANDS, size: 'max' }), async (commands) => {
      const world = await open();
      for (let n = 0; n < 2; n += 1) {
        await run(world, { op: 'account' });
        await run(world, { op: 'deposit', of: n, asset: 'USDT.TRC20', amount: '500' });
      }
      for (const given of commands) await run(world, given);
      await world.sandbox.close();
    }),
    { numRuns: RUNS },
  );
}, 600_000);
