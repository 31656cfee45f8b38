import { sideAmounts } from '../../domain/breaks/evidence-sides.js';
import type { Severity } from '../../domain/breaks/findings.js';
import { settlementBreakKinds } from '../../domain/breaks/payouts.js';
import type { Money } from '../../domain/family/money.js';
import { words } from '../../domain/in-words.js';
import { isJsonObject } from '../../domain/json.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { breakHref, settlementHref } from './links.js';
import { entityValue } from './record-words.js';
import { type Column, type Section, table } from './sections.js';
import {
  ago,
  amount,
  badge,
  badgesOf,
  id,
  link,
  list,
  none,
  quiet,
  type Tone,
  text,
  time,
  type Value,
} from './values.js';

export const severityTones: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
};

export const severityBadge = badgesOf(severityTones);

const statuses: Readonly<Record<BreakView['status'], { text: string; tone: Tone }>> = {
  open: { text: 'open', tone: 'bad' },
  acknowledged: { text: 'acknowledged', tone: 'info' },
  resolved: { text: 'resolved', tone: 'good' },
  written_off: { text: 'written off', tone: 'quiet' },
  auto_resolved: { text: 'resolved by itself', tone: 'good' },
};

export const breakStatuses = Object.entries(statuses).map(([value, { text }]) => ({ value, text }));

export const statusBadge = (status: BreakView['status']): Value => badge(statuses[status].text, statuses[status].tone);

export const breakColumns: Column<BreakView>[] = [
  ['Break', ({ id: own, kind }) => list([link(words(kind), breakHref(own)), quiet(`no. ${own}`)])],
  ['Severity', ({ severity }) => severityBadge(severity)],
  ['About', aboutValue],
  ['Status', ({ status }) => statusBadge(status)],
  ['Who', ({ owner }) => text(owner)],
  ['Opened', ({ openedAt }) => ago(openedAt)],
  ['Due', dueValue],
];

type Amounts = ReadonlyMap<string, Money>;

/** A value to a cell, for a file: the kind, each side and the amounts of the records that they are about. */
export function breakFileColumns(amounts: Amounts): Column<BreakView>[] {
  const side = (of: 'ours' | 'theirs', item: BreakView) => {
    const { kind, entity, evidence, id: own } = item;
    const said = isJsonObject(evidence) ? sideAmounts({ kind, entity }, evidence)[of] : null;
    // Amounts of these records have one unit.
    const isOfRecord = entity.kind === 'invoice' || entity.kind === 'payout';
    return { amount: said?.amount, asset: said?.asset ?? (said && isOfRecord ? amounts.get(own)?.currency : null) };
  };
  return [
    ['Number', ({ id: own }) => text(own)],
    ['Kind', ({ kind }) => text(kind)],
    ['About kind', ({ entity }) => text(entity.kind)],
    ['About id', ({ entity }) => id(entity.id)],
    ['Due at', ({ dueAt }) => time(dueAt)],
    ['Overdue', ({ overdue }) => text(overdue ? 'yes' : 'no')],
    ['Closed', ({ resolvedAt }) => (resolvedAt === null ? none('') : time(resolvedAt))],
    ['Amount', ({ id: own }) => bare(amounts.get(own)?.amount)],
    ['Asset', ({ id: own }) => text(amounts.get(own)?.currency ?? '')],
    ['Ours', (item) => bare(side('ours', item).amount)],
    ['Ours asset', (item) => text(side('ours', item).asset ?? '')],
    ['Theirs', (item) => bare(side('theirs', item).amount)],
    ['Theirs asset', (item) => text(side('theirs', item).asset ?? '')],
  ];
}

const bare = (given: string | undefined): Value => (given === undefined ? none('') : amount(given, null));

const settlementKinds: ReadonlySet<string> = new Set(settlementBreakKinds);

/** What it is about, and the way to it: that of a settlement leads to where it is marked. */
export function aboutValue({ kind, entity }: Pick<BreakView, 'kind' | 'entity'>): Value {
  if (!settlementKinds.has(kind)) return entityValue(entity);
  return list([quiet('settlement'), id(entity.id, settlementHref(entity.id))]);
}

/** When it is to be closed; of one that is closed nothing. */
export function dueValue({ dueAt, overdue, resolvedAt }: BreakView): Value {
  if (resolvedAt !== null) return none();
  return overdue ? list([badge('overdue', 'bad'), quiet('since'), time(dueAt)]) : time(dueAt);
}

/** The breaks about what a page shows; nothing where there is none. */
export function breaksOf(breaks: readonly BreakView[], caption = 'Open breaks'): Section[] {
  return breaks.length === 0 ? [] : [table(breaks, { caption, columns: breakColumns, onPhone: 'folded' })];
}
