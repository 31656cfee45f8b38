import { breakDefinitions } from '../../domain/breaks/breaks.js';
import type { BreakView } from '../../domain/views/proof-shapes.js';
import { getBreak } from '../../records/breaks/list-breaks.js';
import { acknowledgeBreak, resolveBreak, writeOffBreak } from '../actions/decide-break.js';
import { recoverDeliveries } from '../actions/recover-deliveries.js';
import type { Page, PageRequest } from '../page.js';
import { severityBadge, severityTones, statusBadge } from '../view/break-rows.js';
import { evidenceSections } from '../view/evidence.js';
import { evidenceFor } from '../view/personal.js';
import { entityValue } from '../view/record-words.js';
import { type ActionButton, factsPanel, notice, type Section, table } from '../view/sections.js';
import { capitalized, counted, id, text, time, words } from '../view/values.js';

export const breakPage: Page = {
  path: '/breaks/:id',
  title: 'Break',
  load: async ({ db, now }, req) => {
    const found = await getBreak(db, req.params['id'] ?? '', now());
    if (found === null) return null;
    const { kind, severity, status, entity, openedAt, resolvedAt, ageDays, age } = found;
    return {
      title: capitalized(words(kind)),
      badges: [severityBadge(severity), statusBadge(status)],
      crumbs: [{ text: 'Breaks', href: '/breaks' }],
      actions: buttonsOf(found, req),
      sections: [
        whatToDo(found),
        factsPanel('The break', [
          ['Number', id(found.id)],
          ['About', entityValue(entity)],
          ['Opened', time(openedAt, now())],
          ['Closed', time(resolvedAt, now(), 'no')],
          ['Age', text(`${counted(ageDays, 'day')} (${age.replace('-', '–')})`)],
        ]),
        ...evidenceSections(evidenceFor(req.actor, found.evidence)),
        table(found.steps, {
          caption: 'What was done about it, oldest first',
          columns: [
            ['When', ({ at }) => time(at)],
            ['What', ({ action }) => text(words(action))],
            ['Who', ({ actor }) => text(actor)],
            ['Note', ({ note }) => text(note)],
          ],
          empty: ['Nothing was done yet', 'Each step will stand here with its note.'],
        }),
      ],
    };
  },
};

const isClosed = ({ status }: BreakView): boolean => status !== 'open' && status !== 'acknowledged';

function buttonsOf(found: BreakView, req: PageRequest): (ActionButton | null)[] {
  const { id, status, entity } = found;
  if (isClosed(found)) return [];
  const fields = { id: entity.id };
  return [
    entity.kind === 'delivery' ? req.button(recoverDeliveries, {}, { fields, label: 'Recover the delivery' }) : null,
    status === 'open' ? req.button(acknowledgeBreak, { id }) : null,
    req.button(resolveBreak, { id }),
    req.button(writeOffBreak, { id }),
  ];
}

function whatToDo(found: BreakView): Section {
  const { means, ends, remedy } = breakDefinitions[found.kind];
  if (isClosed(found)) return notice('quiet', means, 'It is closed: nothing is to be done.');
  const closes = ends.startsWith('Never')
    ? 'It does not close by itself.'
    : `It closes by itself once this holds: ${ends}`;
  return notice(severityTones[found.severity], means, `What to do: ${remedy} ${closes}`);
}
