import type { Actor } from '../../domain/console-roles.js';
import { capitalized, words } from '../../domain/in-words.js';
import { isJsonObject, type Json } from '../../domain/json.js';
import { type Step, shownChanges, shownValue, stepsOf } from '../../domain/views/shown-changes.js';
import { isRowId } from '../../records/database/paging.js';
import type { TimelineEntry } from '../../records/orders/order-details.js';
import { entityHref } from './links.js';
import { fieldFor } from './personal.js';
import { eventLink, kindWord, runLink } from './record-words.js';
import { panel, type Section, type TimelineStep } from './sections.js';
import { badge, id, link, none, quiet, type Tone, text, time, type Value } from './values.js';

/** The changes of an order and its records as steps. */
export function timelineSteps(timeline: readonly TimelineEntry[], actor: Actor): TimelineStep[] {
  return stepsOf(timeline).map((step) => stepOf(step, actor));
}

/** So many of a timeline's steps are enough on a phone. */
const NEWEST = 2;

/** The timeline of an order or a record. */
export function timelinePanel(
  title: string,
  timeline: readonly TimelineEntry[],
  { actor, intro, empty }: { actor: Actor; intro?: string; empty: string },
): Section {
  const steps = timelineSteps(timeline, actor);
  const section: Section = { is: 'timeline', steps, empty, calm: Math.max(0, steps.length - NEWEST) };
  return panel(title, [section], { intro });
}

function stepOf({ first, said, changes }: Step<TimelineEntry>, actor: Actor): TimelineStep {
  return {
    side: sideOf(first),
    time: time(first.changedAt),
    title: [...entityValues(first), ...(said === null ? [] : [quiet(said)])],
    tone: toneOf(first, changes),
    source: sourceOf(first),
    changes: changes.flatMap((change) => changesOf(change, actor)),
  };
}

function sideOf({ entity, source }: TimelineEntry): TimelineStep['side'] {
  if (entity.kind === 'order' || ['store', 'person', 'contract', 'setting'].includes(source.type)) return 'both';
  return source.type === 'webhook' || source.type === 'delivery_history' ? 'left' : 'right';
}

function entityValues({ entity: { kind, id: own } }: TimelineEntry): Value[] {
  return kind === 'order' ? [text('Order')] : [text(capitalized(kindWord(kind))), link(own, entityHref(kind, own))];
}

function toneOf(first: TimelineEntry, changes: readonly TimelineEntry[]): Tone {
  const to = (wanted: string) => changes.find(({ field }) => field === wanted)?.to;
  if (first.entity.kind !== 'order') return sideOf(first) === 'right' ? 'info' : 'quiet';
  const status = to('status');
  if (status === 'paid' || to('release')) return isHeld(to('release')) ? 'warn' : 'good';
  return status === 'disputed' || status === 'paid_twice' ? 'bad' : 'quiet';
}

function isHeld(release: Json | undefined): boolean {
  return !(release !== undefined && isJsonObject(release) && release['safe'] === true);
}

function changesOf({ entity, field, from, to }: TimelineEntry, actor: Actor): TimelineStep['changes'] {
  const seen = (value: Json) => fieldFor(actor, entity.kind, field, value) ?? null;
  return shownChanges({ field, from: seen(from), to: seen(to) }).map((one) => {
    return { field: one.field, from: one.from === null ? null : valueOf(one.from), to: valueOf(one.to) };
  });
}

function valueOf(value: Json): Value {
  const shown = shownValue(value);
  if (value === null) return none(shown);
  return isJsonObject(value) && value['safe'] === true ? badge(shown, 'good') : text(shown);
}

function sourceOf({ source: { type, ref }, because }: TimelineEntry): Value[] {
  const name = because === null ? [] : [quiet(because.name)];
  if (type === 'webhook') return [badge('webhook'), eventLink(ref), ...name];
  if (type === 'delivery_history') return [badge('recovered'), eventLink(ref), ...name];
  if (type === 'poll')
    return [badge('list', 'info'), isRowId(ref) ? runLink(ref) : quiet(words(ref.replaceAll('-', ' '))), ...name];
  return type === 'store' ? [badge('store'), quiet(ref)] : [badge(words(type)), id(ref)];
}
