import { breakDefinitions } from '../../domain/breaks/breaks.js';
import type { BreakStep, BreakView } from '../../domain/views/proof-shapes.js';
import { getBreak } from '../../records/breaks/list-breaks.js';
import { acknowledgeBreak, resolveBreak, writeOffBreak } from '../actions/decide-break.js';
import { recoverDeliveries } from '../actions/recover-deliveries.js';
import type { Page, PageRequest } from '../page.js';
import { severityTones, statusBadge } from '../view/break-rows.js';
import { evidenceSections } from '../view/evidence.js';
import { entityHref } from '../view/links.js';
import { evidenceFor } from '../view/personal.js';
import { kindWord } from '../view/record-words.js';
import type { ActionButton, Section } from '../view/sections.js';
import { badge, counted, id, list, none, quiet, text, time, words } from '../view/values.js';

export const breakPage: Page = {
  path: '/breaks/:id',
  title: 'Break',
  load: async ({ db, now }, req) => {
    const found = await getBreak(db, req.params['id'] ?? '', now());
    if (found === null) return null;
    const { kind, severity, status } = found;
    return {
      title: words(kind).replace(/^./, (first) => first.toUpperCase()),
      badges: [badge(severity, severityTones[severity]), statusBadge(status)],
      crumbs: [{ text: 'Breaks', href: '/breaks' }],
      actions: buttonsOf(found, req),
      sections: [
        whatToDo(found),
        factsOf(found, now()),
        ...evidenceSections(evidenceFor(req.actor, found.evidence)),
        historyOf(found.steps),
      ],
    };
  },
};

function buttonsOf(found: BreakView, req: PageRequest): (ActionButton | null)[] {
  const { id: own, status, entity } = found;
  if (status !== 'open' && status !== 'acknowledged') return [];
  const fields = { id: entity.id };
  return [
    entity.kind === 'delivery' ? req.button(recoverDeliveries, {}, { fields, label: 'Recover the delivery' }) : null,
    status === 'open' ? req.button(acknowledgeBreak, { id: own }) : null,
    req.button(resolveBreak, { id: own }),
    req.button(writeOffBreak, { id: own }),
  ];
}

function whatToDo({ kind, status, severity }: BreakView): Section {
  const { means, ends, remedy } = breakDefinitions[kind];
  if (status !== 'open' && status !== 'acknowledged') {
    return { is: 'notice', tone: 'quiet', title: means, text: 'It is closed: nothing is to be done.' };
  }
  const closes = ends.startsWith('Never')
    ? 'It does not close by itself.'
    : `It closes by itself once this holds: ${ends}`;
  return { is: 'notice', tone: severityTones[severity], title: means, text: `What to do: ${remedy} ${closes}` };
}

function factsOf(found: BreakView, now: Date): Section {
  const { entity, ageDays, age, openedAt, resolvedAt } = found;
  return {
    is: 'panel',
    title: 'The break',
    sections: [
      {
        is: 'facts',
        facts: [
          ['Number', id(found.id)],
          ['About', list([quiet(kindWord(entity.kind)), id(entity.id, entityHref(entity.kind, entity.id))])],
          ['Opened', time(openedAt, now)],
          ['Closed', resolvedAt === null ? none('no') : time(resolvedAt, now)],
          ['Age', text(`${counted(ageDays, 'day')} (${age.replace('-', '–')})`)],
        ],
      },
    ],
  };
}

function historyOf(steps: readonly BreakStep[]): Section {
  return {
    is: 'table',
    caption: 'What was done about it, oldest first',
    showCaption: true,
    columns: [{ label: 'When' }, { label: 'What' }, { label: 'Who' }, { label: 'Note' }],
    rows: steps.map(({ at, action, actor, note }) => [
      time(at),
      text(words(action)),
      text(actor),
      note === null ? none() : text(note),
    ]),
    empty: { title: 'Nothing was done yet', text: 'Each step will stand here with its note.' },
  };
}
