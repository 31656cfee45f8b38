import type { EventView } from '../../domain/views/webhook-shapes.js';
import { options } from './sections.js';
import { badgesOf, type Tone } from './values.js';

const tones: Readonly<Record<EventView['status'], Tone>> = {
  received: 'info',
  applied: 'good',
  failed: 'warn',
  unhandled: 'quiet',
  dead: 'bad',
};

export const eventStatuses = options(Object.keys(tones));

export const eventBadge = badgesOf(tones);

/** What the state means, and what to do. */
export const eventStatusMeans: Readonly<Record<EventView['status'], string>> = {
  received: 'Stored, and waits for a worker to apply it.',
  applied: 'Its claims are in the records.',
  failed: 'It could not be applied and is tried again by itself. The error says why.',
  unhandled: 'It speaks of a kind of record that is not kept here. Nothing is to be done.',
  dead: 'It was tried as often as it may be and given up. Fix what the error names, then replay it.',
};
