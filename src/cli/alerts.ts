import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { type AlertView, alertShape } from '../domain/views/operation-shapes.js';
import { ConfigError } from '../errors.js';
import type { AlertMessage } from '../notify/alert-message.js';
import { listAlerts } from '../records/alerts/settle-alerts.js';
import { channelsOf, checkOutboundAddresses } from '../wiring/outbound.js';
import type { Flags } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printList } from './print.js';

const columns: Columns<AlertView> = {
  alert: 'name',
  of: 'subject',
  severity: 'severity',
  status: 'status',
  since: 'since',
  detail: 'detail',
};

interface Tried {
  channel: string;
  ok: boolean;
  answer: string;
}

const triedColumns: Columns<Tried> = {
  channel: 'channel',
  result: ({ ok }) => (ok ? 'sent' : 'failed'),
  answer: 'answer',
};

const message: AlertMessage = {
  type: 'alert.test',
  summary: 'Tallyhook can reach you here',
  detail: 'Somebody asked for this test. Nothing is wrong.',
};

export function define(command: Command): void {
  command.description('what is sent to people: list, and a test of every channel');
  listVerb(command, 'newest first', { columns, list: listAlerts })
    .addOption(wordOption(alertShape, 'status', 'pending: it fires when it has held for longer'))
    .addOption(wordOption(alertShape, 'severity', 'only those as grave as this'));
  command
    .command('test')
    .description('send every channel something now, and say what it answered')
    .option('--dry-run', 'only say which')
    .option('--json', 'print JSON')
    .action(test);
}

async function test({ dryRun = false, json = false }: Flags): Promise<void> {
  const config = loadConfig();
  checkOutboundAddresses(config);
  const channels = channelsOf(config, () => new Date());
  if (channels.length === 0)
    throw new ConfigError('No channel is configured: set ALERT_SLACK_URL, ALERT_WEBHOOK_URL or ALERT_SMTP_URL');
  const at = new Date();
  const items = await Promise.all(
    channels.map(async (channel): Promise<Tried> => {
      const { name } = channel;
      if (dryRun) return { channel: name, ok: true, answer: 'not asked' };
      const answer = await channel.send({ id: `msg_${randomUUID().replaceAll('-', '')}`, at, message });
      return { channel: name, ok: answer.ok, answer: answer.ok ? `answered ${answer.httpStatus}` : answer.error };
    }),
  );
  printList({ items }, json, triedColumns);
  if (items.some(({ ok }) => !ok)) process.exitCode = 1;
}
