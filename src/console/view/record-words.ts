import { words } from '../../domain/in-words.js';
import { kinds, type RecordKind, recordKinds } from '../../domain/kinds/kinds.js';
import { type EntityKind, recordRules } from '../../domain/records.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { isRowId } from '../../records/database/paging.js';
import { entityHref, eventHref, runHref } from './links.js';
import { options } from './sections.js';
import { badge, id, link, list, none, quiet, type Tone, text, type Value } from './values.js';

const tones: ReadonlyMap<string, Tone> = new Map(
  Object.entries({
    completed: 'good',
    confirmed: 'good',
    paid: 'good',
    active: 'good',
    pending: 'info',
    approved: 'info',
    confirming: 'info',
    sent: 'info',
    unmatched: 'warn',
    frozen: 'warn',
    pending_decision: 'warn',
    failed: 'bad',
  } as const),
);

/** A kind of record as the navigation names it: `payment_intent` is a payment, `payin` a payin. */
export function kindWord(kind: string): string {
  const known = recordKinds.find((one) => one === kind);
  return (known === undefined ? undefined : kinds[known].page?.one) ?? words(kind);
}

/** What something is about: its kind, and the way to it. */
export function entityValue({ kind, id: own }: { kind: EntityKind; id: string }): Value {
  return list([quiet(kindWord(kind)), id(own, entityHref(kind, own))]);
}

export const eventLink = (id: string): Value => link(`event ${id}`, eventHref(id));
export const runLink = (id: string): Value => link(`run ${id}`, runHref(id));

/** The run or the event that something is known from; null where it is neither. */
export function sourceLink({ type, ref }: { type: string; ref: string }): Value | null {
  if (!isRowId(ref)) return null;
  if (type === 'poll') return runLink(ref);
  return type === 'webhook' || type === 'inbox' || type === 'delivery_history' ? eventLink(ref) : null;
}

/** A state of the service, in its own words; the colour only where its meaning is known. */
export function stateBadge(field: string, state: string): Value {
  return badge(words(state), field === 'kytStatus' ? 'quiet' : (tones.get(state) ?? 'quiet'));
}

export function listedStates(kind: RecordKind, field: string): { value: string; text: string }[] {
  const { main, side } = recordRules[kind];
  const axis = [main, side].find((one) => one?.field === field);
  return options([...(axis?.ranks.keys() ?? [])], words);
}

/** How it is known: shown by the service's own list, only reported by a webhook, or not at the service at all. */
export function howKnown({ verified, doubted, absentSince, observedBy: { type, ref } }: RecordView): Value {
  if (absentSince !== null) return badge('not at the service', 'bad');
  if (verified)
    return doubted ? list([badge('verified', 'good'), badge('newer report', 'info')]) : badge('verified', 'good');
  if (type === 'poll') return badge('to be read again', 'info');
  const word = type === 'webhook' ? 'reported' : `unverified, by ${words(type)}`;
  const event = sourceLink({ type, ref });
  return list([badge(word, 'info'), ...(event === null ? [] : [event])]);
}

/** Where two people decide: who the second was, and by which decision. */
export function approvedBy({
  decision,
  approvedBy: name,
}: {
  decision: string | null;
  approvedBy: string | null;
}): Value {
  return decision === null ? none('nobody had to') : list([text(name), quiet(`decision ${decision}`)]);
}
