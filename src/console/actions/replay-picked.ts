import { z } from 'zod';
import { counted } from '../../domain/in-words.js';
import type { EventView } from '../../domain/views/webhook-shapes.js';
import { isRowId } from '../../records/database/paging.js';
import { listEvents } from '../../records/inbox/events.js';
import { prunedEvents, reviveEvents } from '../../records/inbox/inbox-work.js';
import type { Action, ActionRequest, PageDeps } from '../page.js';
import { eventColumns, replayDoes } from '../view/event-rows.js';
import { withQuery } from '../view/links.js';
import { notice, type Section, table } from '../view/sections.js';
import { text } from '../view/values.js';
import { pickedIds } from './picked-ids.js';

const MOST_REPLAYED = 100;

const input = z.object({
  id: pickedIds
    .refine((ids) => ids.length > 0, 'pick an event first: each row has a box')
    .refine((ids) => ids.every(isRowId), 'is no id of an event')
    .transform((ids) => [...new Set(ids)])
    .refine((ids) => ids.length <= MOST_REPLAYED, `takes ${MOST_REPLAYED} events at once`),
});

/** Events that somebody picked in the list are applied again: all of which the body is still there, in one transaction. */
export const replayPicked: Action = {
  path: '/events/picked',
  name: 'replay events',
  roles: ['operator'],
  label: 'Replay the picked',
  explain: `Each is applied again as it came, ${MOST_REPLAYED} at most. You see what that does to each before anything is done.`,
  input,
  preview: async (deps, request) => previewOf(deps, pickedOf(request)),
  run: async ({ db, commands }, request) => {
    const ids = pickedOf(request);
    const target = counted(ids.length, 'event');
    const left = await leftOutOf(db, ids);
    const replayed = await reviveEvents(db, ids);
    if (replayed.length === 0)
      return { outcome: 'refused', target, message: `Nothing was changed. ${left}`, isOver: true };
    return {
      outcome: 'asked',
      target,
      details: { ids: replayed },
      message: [`${counted(replayed.length, 'event')} will be applied within seconds; below is how each ends.`, left]
        .join(' ')
        .trim(),
      // As it was picked, those that are left out among them.
      to: withQuery('/events', { id: ids.join(',') }),
      afterwards: () => commands.replay(replayed),
    };
  },
};

const pickedOf = ({ input: given }: Pick<ActionRequest, 'input'>): string[] => (given as z.infer<typeof input>).id;

/** Which of them can't be applied again, and why, in a sentence or two; empty: all can. */
async function leftOutOf(db: PageDeps['db'], ids: string[]): Promise<string> {
  const pruned = await prunedEvents(db, ids);
  const { items } = await listEvents(db, { ids, take: ids.length });
  const gone = ids.filter((id) => items.every((item) => item.id !== id));
  return [
    pruned.size === 0 ? '' : `Left out: ${[...pruned].join(', ')}, whose body was deleted by its age.`,
    gone.length === 0 ? '' : `Not here any more: ${gone.join(', ')}.`,
  ]
    .join(' ')
    .trim();
}

async function previewOf({ db }: PageDeps, ids: string[]): Promise<Section[]> {
  const { items } = await listEvents(db, { ids, take: ids.length });
  const pruned = await prunedEvents(db, ids);
  const shown = items.filter(({ id }) => !pruned.has(id));
  const columns = eventColumns.filter(([label]) => label !== 'Arrivals' && label !== 'Secret');
  const title = `${counted(shown.length, 'event')} will be applied again`;
  return [
    notice(
      shown.length === 0 ? 'warn' : 'info',
      title,
      ['Nothing was done yet.', await leftOutOf(db, ids)].join(' ').trim(),
    ),
    table<EventView>(shown, {
      caption: 'What a replay does to each',
      columns: [...columns, ['What a replay does', ({ status }) => text(replayDoes[status])]],
      empty: ['Nothing is left of it', 'Of none that you picked the body is still here.'],
    }),
  ];
}
