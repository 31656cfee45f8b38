import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import { startSandbox } from '../sandbox/start-sandbox.js';
import { explain } from '../wiring/listen.js';
import { wholeNumber } from './arguments.js';
import { runUntilStopped } from './run-until-stopped.js';

interface Flags {
  port: number;
  host: string;
  seed?: number;
  strict?: boolean;
  payments?: number;
  invoices?: number;
  payouts?: number;
  wallets?: number;
  movements?: number;
}

export function define(command: Command): void {
  command
    .option('--port <port>', 'port to listen on; 0 is any free one', upTo(65_535), 0)
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--seed <n>', 'the same seed makes the same history', upTo(2_147_483_647))
    .option('--strict', 'nothing that the specification does not show: no list of payouts, no field beyond section 2')
    .option('--payments <n>', 'payments of the past', upTo(10_000_000))
    .option('--invoices <n>', 'invoices of the past; left out: 12 for 100 payments', upTo(1_000_000))
    .option('--payouts <n>', 'payouts of the past; left out: 6 for 100 payments', upTo(1_000_000))
    .option('--wallets <n>', 'sub-wallets of the past', upTo(100_000))
    .option('--movements <n>', 'past transactions of the sub-wallets', upTo(5_000_000))
    .addHelpText('after', '\nPay, dispute, refund, reject, lose webhooks, turn the clock: docs/sandbox.md')
    .action(async (flags: Flags) => {
      await runUntilStopped(createLog(loadConfig().LOG_LEVEL), async (closers) => {
        const names = { host: '--host', port: '--port' };
        const sandbox = await startSandbox(flags).catch((error: Error) => {
          throw explain(error, { ...flags, names });
        });
        closers.add('sandbox', () => sandbox.close());
        process.stdout.write(`sandbox  ${sandbox.url}\n`);
      });
    });
}

const upTo = (most: number) => wholeNumber(0, most);
