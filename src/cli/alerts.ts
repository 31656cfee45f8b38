import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { Knex } from 'knex';
import { loadConfig } from '../config.js';
import { alertTitle } from '../domain/alerts/alerts.js';
import { inOrder, type Standing, type State, standingIn } from '../domain/state/state.js';
import { type AlertView, alertShape } from '../domain/views/operation-shapes.js';
import { ConfigError, UsageError } from '../errors.js';
import type { AlertMessage } from '../notify/alert-channels.js';
import { decideAlert, getAlert } from '../records/alerts/decide-alert.js';
import { listAlerts } from '../records/alerts/settle-alerts.js';
import { ANY } from '../records/breaks/list-breaks.js';
import { inTransaction } from '../records/database/statements.js';
import { alertsCheckedAt } from '../records/process-heartbeats.js';
import { channelsOf, checkOutboundAddresses } from '../wiring/outbound.js';
import { type Flags, momentToCome, reasonedFlags } from './arguments.js';
import { listVerb, wordOption } from './list-verb.js';
import { type Columns, printList, printResult } from './print.js';
import { printOne } from './print-words.js';
import { stateNow } from './status.js';
import { cliActor, withStore } from './with-store.js';

/** An alert with what it is a part of; of one that is over, of nothing. */
type Listed = AlertView & Standing;

const columns: Columns<Listed> = {
  id: 'id',
  severity: 'severity',
  status: ({ isOver, status }) => (isOver ? `${status}, over` : status),
  alert: titleOf,
  since: 'since',
  'at it': 'acknowledgedBy',
  'silent until': 'silencedUntil',
};
const besides: Columns<Listed> = { name: 'name', 'with it': ({ withIt }) => withIt.join('; '), detail: 'detail' };

interface DecisionFlags extends Flags {
  note: string;
  until?: Date;
}

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
  command.description('what is sent to people: list, show, who is at it, silence, and a test of every channel');
  listVerb(command, 'those that fire or wait, in the order of Overview; with --status newest first', {
    columns,
    besides,
    list: async (db, { status, ...query }: Parameters<typeof listAlerts>[1], store) => {
      const wanted = status === undefined ? { isOpen: true } : { status: status === ANY ? undefined : status };
      const { state } = await stateNow(store, new Date());
      const page = await listAlerts(db, { ...query, ...wanted });
      const items = status === undefined ? inOrder(state, page.items) : page.items;
      const checkedAt = await alertsCheckedAt(db);
      return { ...page, items: items.map((alert) => withStanding(state, alert)), checkedAt };
    },
    about: ({ checkedAt }) => [
      checkedAt === null
        ? 'nobody has checked for alerts yet'
        : `as checked at ${checkedAt}; of this moment: tallyhook status`,
    ],
  })
    .addOption(
      wordOption(alertShape, 'status', 'left out: firing, or pending, which fires when it has held for longer', [ANY]),
    )
    .addOption(wordOption(alertShape, 'severity', 'only those as grave as this'));
  command
    .command('show <id>')
    .description('one alert: its cause, what to do first, who is at it')
    .option('--json', 'print JSON')
    .action((id: string, { json = false }: Flags) =>
      withStore(async (store) => {
        const { state } = await stateNow(store, new Date());
        printOne(json, withStanding(state, await alertOf(store.db, id)));
      }),
    );
  decision(
    command.command('ack <id>').description('say that you are at it; what is sent does not change'),
    'acknowledge',
  );
  decision(
    command
      .command('silence <id>')
      .description('send nothing more of it until a time, a week at most; it is shown and counted as before')
      .requiredOption('--until <time>', 'such as 4h or 2026-10-31T08:00Z', momentToCome),
    'silence',
  );
  command
    .command('test')
    .description('send every channel something now, and say what it answered')
    .option('--dry-run', 'only say which')
    .option('--json', 'print JSON')
    .action(test);
}

function titleOf(alert: Listed): string {
  const { followsFrom, waitsFor } = alert;
  const from = followsFrom === null ? '' : `; follows from: ${followsFrom}`;
  return `${alertTitle(alert)}${from}${waitsFor === null ? '' : `; waits for: ${waitsFor}`}`;
}

function withStanding(state: State, alert: AlertView): Listed {
  if (alert.isOver || alert.resolvedAt !== null) return { ...alert, followsFrom: null, withIt: [], waitsFor: null };
  const { followsFrom, withIt, waitsFor } = standingIn(state, alert);
  return { ...alert, followsFrom, withIt, waitsFor };
}

function decision(command: Command, verb: 'acknowledge' | 'silence'): void {
  reasonedFlags(command).action((id: string, { note, until, dryRun = false, json = false }: DecisionFlags) =>
    withStore(async ({ db }) => {
      const done = await inTransaction(db, dryRun, async (trx) => {
        await alertOf(trx, id);
        const result = await decideAlert(trx, id, until === undefined ? 'acknowledge' : { silence: until }, {
          actor: cliActor(),
          note,
        });
        if (result.outcome === 'refused') throw new UsageError(`--until: ${result.why}.`);
        if (result.outcome !== 'done') throw new UsageError(`Alert ${id} does not fire: there is nothing to ${verb}.`);
        return result.alert;
      });
      const what = until === undefined ? `${done.acknowledgedBy} is at it` : `silent until ${done.silencedUntil}`;
      printResult(json, { ...done, dryRun }, `${dryRun ? 'would be so: ' : ''}alert ${id}: ${what}`);
    }),
  );
}

async function alertOf(db: Knex, id: string): Promise<AlertView> {
  const found = await getAlert(db, id);
  if (found === null) throw new UsageError(`There is no alert "${id}".`);
  return found;
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
