import type { Command } from 'commander';
import { scorecardCsv } from '../console/view/csv.js';
import { knownCount } from '../domain/scorecard/lines.js';
import type { Scorecard } from '../domain/scorecard/scorecard-shape.js';
import { eventClasses } from '../domain/scorecard/tally-events.js';
import { UsageError } from '../errors.js';
import { countMonth, readScorecard } from '../records/scorecard/scorecard.js';
import { countSettings } from '../wiring/reconcile-settings.js';
import { type Flags, month } from './arguments.js';
import { type Columns, printJson, printList, printText } from './print.js';
import { showAtWork } from './show-at-work.js';
import { withStore } from './with-store.js';

export function define(command: Command): void {
  command
    .argument('<month>', 'such as 2026-10', month)
    .option('--csv', 'every figure with its source, to hand on')
    .option('--json', 'print JSON')
    .action((asked: string, { csv = false, json = false }: Flags & { csv?: boolean }) => {
      if (csv && json) throw new UsageError('--csv or --json, not both.');
      return withStore(async ({ db, config }) => {
        const now = new Date();
        const settings = countSettings(config);
        await showAtWork('counting', countMonth(db, asked, now, settings));
        const card = await readScorecard(db, asked, now, settings.timeZone);
        if (json) printJson(card);
        else if (csv) process.stdout.write(scorecardCsv(card));
        else print(card);
      });
    });
}

function print(card: Scorecard): void {
  const all = { eventType: 'all', ...card.events, p50Ms: null, p99Ms: null };
  printList({ items: [all, ...card.byType].map((row) => knownRow(card, row)) }, false, typeColumns);
  printList({ items: [{ operation: 'all', ...card.api }, ...card.api.byOperation] }, false, callColumns);
  printList({ items: card.rejectedRequests }, false, { 'rejected requests': 'reason', requests: 'requests' });
  for (const note of card.notes) printText(`not known: ${note}`);
}

type Counted = Scorecard['byType'][number];
type TypeRow = { [Field in keyof Counted]: Counted[Field] | null };

/** Counts that are not known are null. */
function knownRow(card: Scorecard, row: Counted): TypeRow {
  const known = (['expected', ...eventClasses] as const).map((what) => [what, knownCount(card, what, row[what])]);
  return { ...row, ...(Object.fromEntries(known) as Partial<TypeRow>) };
}

const typeColumns: Columns<TypeRow> = {
  event: 'eventType',
  expected: 'expected',
  received: 'received',
  doubled: 'doubled',
  'out of order': 'out_of_order',
  late: 'late',
  'under way': 'under_way',
  rejected: 'rejected',
  missed: 'missed',
  'never generated': 'never_generated',
  'not sent': 'not_sent',
  'p50 ms': 'p50Ms',
  'p99 ms': 'p99Ms',
};

const callColumns: Columns<Scorecard['api']['byOperation'][number]> = {
  call: 'operation',
  answered: 'answered',
  refused: 'refused',
  limited: 'limited',
  failed: 'failed',
  'no answer': 'no_answer',
  'availability %': 'availability',
};
