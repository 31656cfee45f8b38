import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import type { OrderStory } from '../records/order-story.js';
import { orderStory } from '../records/order-story.js';
import { oneLine, printJson } from './print.js';
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
        else process.stdout.write(tell(story));
      }),
    );
}

function tell({ order, timeline }: OrderStory): string {
  const { safe, reason, provenAt } = order.release;
  const head = [
    `order      ${order.reference}`,
    `status     ${order.status}`,
    `expected   ${order.expected ? `${order.expected.amount} ${order.expected.currency}` : 'not registered by the store'}`,
    `release    ${safe ? `safe since ${provenAt}` : 'not safe'} (${reason})`,
    `payments   ${order.paymentIntents.join(', ') || 'none'}`,
  ];
  const steps = timeline.map(
    (change) =>
      `${change.changedAt}  ${`${change.source.type} ${change.source.ref}`.padEnd(24)} ` +
      `${change.entity.kind} ${change.entity.id}: ${change.field} ${short(change.from)} → ${short(change.to)}`,
  );
  return `${[...head, '', ...steps].map(oneLine).join('\n')}\n`;
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
