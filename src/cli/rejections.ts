import type { Command } from 'commander';
import type { RejectionView } from '../domain/views/webhook-shapes.js';
import { listRejections } from '../records/inbox/rejections.js';
import { type ListFlags, listFlags, moment } from './arguments.js';
import { type Columns, printList } from './print.js';
import { withStore } from './with-store.js';

const columns: Columns<RejectionView> = {
  id: 'id',
  at: 'rejectedAt',
  reason: 'reason',
  detail: 'detail',
  remedy: 'diagnosis',
};

export function define(command: Command): void {
  command.description('rejected requests, sampled, with what to do');
  listFlags(command.command('list').description('newest first'))
    .option('--reason <reason>', 'such as invalid_signature')
    .option('--since <time>', 'such as 24h or 2026-10-31', moment)
    .action(({ json = false, ...query }: ListFlags & { reason?: string }) =>
      withStore(async ({ db }) => printList(await listRejections(db, query), json, columns)),
    );
}
