import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { type OrderStory, orderStory } from '../records/orders/order-story.js';
import { oneLine, printJson } from './print.js';
import { tellOrder } from './tell-order.js';
import { withStore } from './with-store.js';

export function defineOrders(command: Command): void {
  command.description('orders by their merchantReference');
  command
    .command('show <reference>')
    .description('the whole story of one order, in time order, with sources')
    .option('--json', 'print JSON')
    .action((reference: string, { json }: { json?: boolean }) =>
      withStore(async ({ db }) => {
        const story = await orderStory(db, reference);
        if (!story) throw new UsageError(`There is no order "${reference}". References count byte for byte.`);
        if (json) printJson(story);
        else process.stdout.write(linesOf(story));
      }),
    );
}

function linesOf(story: OrderStory): string {
  return `${tellOrder(story).map(oneLine).join('\n')}\n`;
}
