import type { Actor } from '../../domain/console-roles.js';
import { counted, words } from '../../domain/in-words.js';
import { isJsonObject, type Json, type JsonObject, toJsonText } from '../../domain/json.js';
import { isRowId } from '../../records/database/paging.js';
import type { TimelineEntry } from '../../records/orders/order-details.js';
import { entityHref } from './links.js';
import { fieldFor } from './personal.js';
import { eventLink, kindWord, runLink } from './record-words.js';
import { panel, type Section, type TimelineStep } from './sections.js';
import { badge, capitalized, id, link, none, quiet, type Tone, text, time, type Value } from './values.js';

const LONGEST_VALUE = 120;
/** Of a record seen for the first time these say the most. */
const NOTABLE = [
  'status',
  'irregularStatus',
  'amountRequested',
  'currencyRequested',
  'totalAmountReceived',
  'amount',
  'amountGross',
  'assetCode',
  'kytStatus',
];

/** The changes of an order and its records as steps: those that one source made of one record at once are one step. */
export function timelineSteps(timeline: readonly TimelineEntry[], actor: Actor): TimelineStep[] {
  const groups: TimelineEntry[][] = [];
  for (const step of timeline) {
    const last = groups.at(-1);
    const first = last?.[0];
    if (last && first && keyOf(first) === keyOf(step)) last.push(step);
    else groups.push([step]);
  }
  return groups.map((steps) => stepOf(steps, actor));
}

/** The timeline of an order or a record. */
export function timelinePanel(
  title: string,
  timeline: readonly TimelineEntry[],
  { actor, intro, empty }: { actor: Actor; intro?: string; empty: string },
): Section {
  const section: Section = { is: 'timeline', steps: timelineSteps(timeline, actor), empty };
  return panel(title, [section], { intro });
}

function keyOf({ entity, source, changedAt }: TimelineEntry): string {
  return [entity.kind, entity.id, source.type, source.ref, changedAt].join('\n');
}

function stepOf(steps: TimelineEntry[], actor: Actor): TimelineStep {
  const [first] = steps;
  if (first === undefined) throw new Error('A step has a change');
  const isNew = steps.some(({ field }) => field === '*');
  // Webhooks reported the record before: what the service shows of it now is as much as of one that is new.
  const isShown = !isNew && first.entity.kind !== 'order' && steps.some(isFirstShown);
  const shown = isShown ? steps.filter(({ field, from }) => from !== null || NOTABLE.includes(field)) : steps;
  const said = isNew ? 'first seen' : isShown ? 'first shown' : null;
  return {
    side: sideOf(first),
    time: time(first.changedAt),
    title: [...entityValues(first), ...(said === null ? [] : [quiet(said)])],
    tone: toneOf(steps),
    source: sourceOf(first),
    changes: shown.flatMap((step) => changesOf(step, actor)),
  };
}

function isFirstShown({ field, from, to }: TimelineEntry): boolean {
  return field === 'id' && from === null && to !== null;
}

function sideOf({ entity, source }: TimelineEntry): TimelineStep['side'] {
  if (entity.kind === 'order' || ['store', 'person', 'contract', 'setting'].includes(source.type)) return 'both';
  return source.type === 'webhook' || source.type === 'delivery_history' ? 'left' : 'right';
}

function entityValues({ entity: { kind, id: own } }: TimelineEntry): Value[] {
  return kind === 'order' ? [text('Order')] : [text(capitalized(kindWord(kind))), link(own, entityHref(kind, own))];
}

function toneOf(steps: readonly TimelineEntry[]): Tone {
  const to = (wanted: string) => steps.find(({ field }) => field === wanted)?.to;
  const [first] = steps;
  if (first === undefined) return 'quiet';
  if (first.entity.kind !== 'order') return sideOf(first) === 'right' ? 'info' : 'quiet';
  const status = to('status');
  if (status === 'paid' || to('release')) return isHeld(to('release')) ? 'warn' : 'good';
  return status === 'disputed' || status === 'paid_twice' ? 'bad' : 'quiet';
}

function isHeld(release: Json | undefined): boolean {
  return !(release !== undefined && isJsonObject(release) && release['safe'] === true);
}

function changesOf({ entity, field, from, to }: TimelineEntry, actor: Actor): TimelineStep['changes'] {
  if (field !== '*') {
    const [before, after] = [from, to].map((value) => fieldFor(actor, entity.kind, field, value));
    return changeOf(field, before ?? null, after ?? null);
  }
  const whole = fieldFor(actor, entity.kind, field, to);
  if (!isJsonObject(whole)) return [];
  return notable(whole).map((name) => ({ field: name, from: null, to: valueOf(whole[name] ?? null) }));
}

function notable(fields: JsonObject): string[] {
  return NOTABLE.filter((name) => (fields[name] ?? null) !== null);
}

/** Of a list its length is shown, of an object those of its fields that changed: the records themselves have the rest. */
function changeOf(field: string, from: Json, to: Json): TimelineStep['changes'] {
  if (isJsonObject(from) && isJsonObject(to) && !('safe' in to)) {
    const names = Object.keys(to).filter((name) => toJsonText(from[name] ?? null) !== toJsonText(to[name] ?? null));
    return names.map((name) => shownChange(`${field}.${name}`, from[name] ?? null, to[name] ?? null));
  }
  if (field === 'reported') return reportedChange(from, to);
  return [shownChange(field, from, to)];
}

/** Reports begin, or end: the service shows what they said. Of the first report what says the most. */
function reportedChange(from: Json, to: Json): TimelineStep['changes'] {
  if (!isJsonObject(to))
    return [{ field: 'reported', from: isJsonObject(from) ? text('something') : null, to: valueOf(null) }];
  const most = notable(to);
  const names = most.length > 0 ? most : Object.keys(to);
  return names.map((name) => shownChange(`reported.${name}`, null, to[name] ?? null));
}

function shownChange(field: string, from: Json, to: Json): TimelineStep['changes'][number] {
  return { field, from: from === null ? null : valueOf(from), to: valueOf(to) };
}

function valueOf(value: Json): Value {
  if (value === null) return none('nothing');
  if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
  if (Array.isArray(value)) return text(counted(value.length, 'entry', 'entries'));
  if (isJsonObject(value) && typeof value['safe'] === 'boolean') {
    return value['safe']
      ? badge('safe to release', 'good')
      : text(`hold: ${typeof value['reason'] === 'string' ? words(value['reason']) : 'no reason given'}`);
  }
  const shown = typeof value === 'string' ? value : toJsonText(value);
  return text(shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown);
}

function sourceOf({ source: { type, ref }, because }: TimelineEntry): Value[] {
  const name = because === null ? [] : [quiet(because.name)];
  if (type === 'webhook') return [badge('webhook'), eventLink(ref), ...name];
  if (type === 'delivery_history') return [badge('recovered'), eventLink(ref), ...name];
  if (type === 'poll')
    return [badge('list', 'info'), isRowId(ref) ? runLink(ref) : quiet(words(ref.replaceAll('-', ' '))), ...name];
  return type === 'store' ? [badge('store'), quiet(ref)] : [badge(words(type)), id(ref)];
}
