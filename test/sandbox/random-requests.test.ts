import * as fc from 'fast-check';
import { it } from 'vitest';
import { run } from './random-actions.js';
import { command } from './random-commands.js';
import { open } from './random-world.js';

const RUNS = process.env.TALLYHOOK_LONG ? 90 : 2;
const COMMANDS = 60;

it('random requests leave the books in order, are refused where that is promised, and never break the service', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: COMMANDS, maxLength: COMMANDS, size: 'max' }), async (commands) => {
      const world = await open();
      for (let of = 0; of < 3; of += 1) {
        await run(world, { op: 'account' });
        await run(world, { op: 'deposit', of, asset: 'USDT.TRC20', amount: '500' });
        await run(world, { op: 'deposit', of, asset: 'XRP.XRPL', amount: '50' });
        await run(world, { op: 'payment', coin: 'USDT.TRC20', amount: '100', settle: false, key: null });
      }
      await run(world, { op: 'pay', of: 0, percent: 100 });
      for (const given of commands) await run(world, given);
      await world.sandbox.close();
    }),
    { numRuns: RUNS },
  );
}, 600_000);
