import type { EventView } from '../../domain/views/webhook-shapes.js';
import { eventHref } from './links.js';
import { type Column, options } from './sections.js';
import { ago, badge, badgesOf, count, id, list, none, quiet, stack, type Tone, text } from './values.js';

type EventStatus = EventView['status'];

const tones: Readonly<Record<EventStatus, Tone>> = {
  received: 'info',
  applied: 'good',
  failed: 'warn',
  unhandled: 'quiet',
  dead: 'bad',
};

export const eventStatuses = options(Object.keys(tones));

export const eventBadge = badgesOf(tones);

/** What the state means, and what to do. */
export const eventStatusMeans: Readonly<Record<EventStatus, string>> = {
  received: 'Stored, and waits for a worker to apply it.',
  applied: 'Its claims are in the records.',
  failed: 'It could not be applied and is tried again by itself. The error says why.',
  unhandled: 'It speaks of a kind of record that is not kept here. Nothing is to be done.',
  dead: 'It was tried as often as it may be and given up. Fix what the error names, then replay it.',
};

export const replayDoes: Readonly<Record<EventStatus, string>> = {
  received: 'It waits for a worker already, and is applied once.',
  applied: 'It is read again. What it says is in the records: nothing changes a second time.',
  failed: 'It is tried at once, and has all its attempts again.',
  unhandled: 'It is read again, and stays unhandled unless this version keeps such records.',
  dead: 'It is tried again, with all its attempts. Fix first what the error names.',
};

export const eventColumns: readonly Column<EventView>[] = [
  ['Event', (event) => id(event.id, eventHref(event.id))],
  ['Type', ({ eventType, mark }) => (mark === null ? text(eventType) : list([text(eventType), badge(mark)]))],
  [
    'Status',
    ({ status, error }) =>
      error === null || status === 'applied' ? eventBadge(status) : stack([eventBadge(status), quiet(error)]),
  ],
  ['Arrivals', ({ arrivals }) => count(arrivals), 'end'],
  ['Secret', ({ secretLabel }) => (secretLabel === null ? none('recovered') : quiet(secretLabel))],
  ['Received', ({ receivedAt }) => ago(receivedAt)],
];
