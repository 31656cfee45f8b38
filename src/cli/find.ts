import type { Command } from 'commander';
import type { Found } from '../domain/views/find-shapes.js';
import { find } from '../records/search/find.js';
import { type Columns, printJson, printList, printNote, printText } from './print.js';
import { withStore } from './with-store.js';

const columns: Columns<Found['items'][number]> = {
  kind: 'kind',
  id: 'id',
  'found by': ({ by, exact }) => (exact ? by : `${by} begins so`),
  orders: ({ orders }) => orders.join(', ') || null,
};

export function define(command: Command): void {
  command
    .argument('<text...>', 'a reference, an id, a hash, an address, an e-mail, or an address of an explorer')
    .option('--json', 'print JSON')
    .action((words: string[], { json = false }: { json?: boolean }) =>
      withStore(async ({ db }) => {
        const found = await find(db, words.join(' '), { knowsPeople: true });
        if (json) printJson(found);
        else print(found);
      }),
    );
}

function print({ items, orders, deliveriesReadAt, more }: Found): void {
  printList({ items }, false, columns);
  const noDelivery = `no deliveries: the history was ${deliveriesReadAt === null ? 'not read yet' : `read at ${deliveriesReadAt}`}`;
  for (const { reference, status, release, says, paymentIntents, payins, deliveries } of orders) {
    const ids = (title: string, all: readonly string[]) => (all.length === 0 ? [] : [`${title} ${all.join(', ')}`]);
    const sent = deliveries.length === 0 ? [noDelivery] : ids('deliveries', deliveries);
    const made = [...ids('payments', paymentIntents), ...ids('payins', payins), ...sent];
    printText(`order ${reference}: ${status}, ${release.safe ? 'safe to release' : 'hold the goods'}. ${says}`);
    printText(`  ${made.join('; ')}`);
  }
  if (more) printNote('there is more: give more of the text');
}
