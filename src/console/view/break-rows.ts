import type { Severity } from '../../domain/breaks/findings.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { breakHref, entityHref } from './links.js';
import { kindWord } from './record-words.js';
import type { TableSection } from './sections.js';
import { badge, id, link, list, quiet, type Tone, text, time, words } from './values.js';

export const severityTones: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'quiet',
};

const statusTones: Readonly<Record<BreakView['status'], Tone>> = {
  open: 'bad',
  acknowledged: 'info',
  resolved: 'good',
  written_off: 'quiet',
  auto_resolved: 'good',
};

export const breakStatuses: readonly { value: BreakView['status']; text: string }[] = [
  { value: 'open', text: 'open' },
  { value: 'acknowledged', text: 'acknowledged' },
  { value: 'resolved', text: 'resolved' },
  { value: 'written_off', text: 'written off' },
  { value: 'auto_resolved', text: 'resolved by itself' },
];

export function statusBadge(status: BreakView['status']) {
  const label = breakStatuses.find(({ value }) => value === status)?.text ?? words(status);
  return badge(label, statusTones[status]);
}

export const breakColumns: TableSection['columns'] = [
  { label: 'Break' },
  { label: 'Severity' },
  { label: 'About' },
  { label: 'Status' },
  { label: 'Opened' },
  { label: 'Age' },
];

export function breakRows(items: readonly BreakView[], now: Date): TableSection['rows'] {
  return items.map(({ id: own, kind, severity, entity, status, openedAt, ageDays }) => [
    list([link(words(kind), breakHref(own)), quiet(`no. ${own}`)]),
    badge(severity, severityTones[severity]),
    list([quiet(kindWord(entity.kind)), id(entity.id, entityHref(entity.kind, entity.id))]),
    statusBadge(status),
    time(openedAt, now),
    text(ageDays === 0 ? 'today' : `${ageDays} ${ageDays === 1 ? 'day' : 'days'}`),
  ]);
}
