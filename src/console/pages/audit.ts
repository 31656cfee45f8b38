import type { Knex } from 'knex';
import type { EntityKind } from '../../domain/records.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { listActions } from '../../records/actions/list-actions.js';
import { decidingSealCheck, lastSealCheck, sealState } from '../../records/audit/seal-checks.js';
import { verifySealsAction } from '../actions/verify-seals.js';
import type { Page, PageRequest } from '../page.js';
import { detailsFor } from '../view/action-details.js';
import { entityHref, paging } from '../view/links.js';
import { sealPanel } from '../view/seal-sections.js';
import type { Section } from '../view/sections.js';
import { badge, link, list, none, quiet, type Tone, text, time, type Value } from '../view/values.js';

const tones: Readonly<Record<ActionView['outcome'], Tone>> = { done: 'good', asked: 'info', refused: 'warn' };

export const audit: Page = {
  path: '/audit',
  title: 'Audit',
  group: 'Operation',
  filters: ['actor', 'action', 'target', 'outcome'],
  load: async ({ db, now }, req) => {
    const { items, nextCursor } = await listActions(db, { ...req.filters, cursor: req.cursor });
    const at = now();
    return {
      intro:
        'Who did what, and why: at the console, by the read API and by the command line. Nobody can change a line of it here.',
      sections: [
        await sealsOf(db, { now: at, button: req.button(verifySealsAction) }),
        filtersOf(req),
        {
          is: 'table',
          caption: 'Actions, newest first',
          columns: [
            { label: 'When' },
            { label: 'Who' },
            { label: 'What' },
            { label: 'Why' },
            { label: 'Outcome' },
            { label: 'What came of it' },
          ],
          rows: items.map((action) => [
            time(action.at, at),
            link(action.actor, `/audit?actor=${encodeURIComponent(action.actor)}`),
            list([text(action.action), ...(action.target === null ? [] : [targetOf(action.target)])]),
            action.reason === null ? none() : text(action.reason),
            badge(action.outcome, tones[action.outcome]),
            messageOf(action, req.actor),
          ]),
          empty:
            Object.keys(req.filters).length > 0
              ? { title: 'No action fits', text: 'Names count byte for byte.' }
              : { title: 'Nobody did anything yet', text: 'Every action of a person is kept here with its reason.' },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};

async function sealsOf(db: Knex, given: Parameters<typeof sealPanel>[1]): Promise<Section> {
  const seals = {
    state: await sealState(db),
    last: await lastSealCheck(db),
    deciding: await decidingSealCheck(db),
    whole: await lastSealCheck(db, { whole: true }),
  };
  return sealPanel(seals, given);
}

function filtersOf({ path, filters }: PageRequest): Section {
  const { actor = '', action = '', target = '', outcome = '' } = filters;
  return {
    is: 'filters',
    path,
    active: Object.keys(filters).length > 0,
    fields: [
      { name: 'actor', label: 'Who', value: actor, hint: 'ann, or cli:ann' },
      { name: 'action', label: 'What', value: action, hint: 'recover' },
      { name: 'target', label: 'Done to', value: target, hint: 'event 12' },
      {
        name: 'outcome',
        label: 'Outcome',
        value: outcome,
        options: Object.keys(tones).map((value) => ({ value, text: value })),
      },
    ],
  };
}

const linked: readonly EntityKind[] = ['event', 'delivery', 'order', 'secret'];

/** As `event 12`, with the way to it. */
function targetOf(target: string): Value {
  const at = target.indexOf(' ');
  const [word, own] = [target.slice(0, at), target.slice(at + 1)];
  if (word === 'break') return link(target, `/breaks/${encodeURIComponent(own)}`);
  const kind = linked.find((known) => known === word);
  return kind === undefined ? quiet(target) : link(target, entityHref(kind, own));
}

/** What was shown to the actor; else the details that are short enough to be read. */
function messageOf(action: ActionView, actor: PageRequest['actor']): Value {
  const { told: message, items, ...rest } = detailsFor(actor, action.details);
  if (typeof message === 'string') return text(message);
  if (Array.isArray(items)) return link(`${items.length} checks`, '/doctor');
  const lines = Object.entries(rest).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return lines.length === 0 ? none() : quiet(lines.join(', ').slice(0, 200));
}
