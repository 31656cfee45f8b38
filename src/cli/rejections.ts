import type { Command } from 'commander';
import type { RejectionView } from '../domain/views/webhook-shapes.js';
import { listRejections } from '../records/inbox/rejections.js';
import { moment } from './arguments.js';
import { listVerb } from './list-verb.js';
import type { Columns } from './print.js';

const columns: Columns<RejectionView> = {
  id: 'id',
  at: 'rejectedAt',
  reason: 'reason',
  detail: 'detail',
  remedy: 'diagnosis',
};

export function define(command: Command): void {
  command.description('rejected requests, sampled, with what to do');
  listVerb(command, 'newest first', { columns, list: listRejections })
    .option('--reason <reason>', 'such as invalid_signature')
    .option('--since <time>', 'such as 24h or 2026-10-31', moment);
}
