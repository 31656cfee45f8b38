import type { EntityKind } from '../../domain/records.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { listActions } from '../../records/actions/list-actions.js';
import { decidingSealCheck, lastSealCheck } from '../../records/audit/seal-checks.js';
import { sealState } from '../../records/audit/seal-state.js';
import { verifySealsAction } from '../actions/verify-seals.js';
import type { Page, PageRequest } from '../page.js';
import { detailsFor } from '../view/action-details.js';
import { breakHref, entityHref } from '../view/links.js';
import { filters, listTable, options } from '../view/pieces.js';
import { sealPanel } from '../view/seal-sections.js';
import { badge, link, list, none, quiet, type Tone, text, time, type Value } from '../view/values.js';

const tones: Readonly<Record<ActionView['outcome'], Tone>> = { done: 'good', asked: 'info', refused: 'warn' };

export const audit: Page = {
  path: '/audit',
  title: 'Audit',
  group: 'Operation',
  filters: ['actor', 'action', 'target', 'outcome'],
  load: async ({ db, now }, req) => {
    const page = await listActions(db, { ...req.filters, cursor: req.cursor });
    const at = now();
    const seals = {
      state: await sealState(db),
      last: await lastSealCheck(db),
      deciding: await decidingSealCheck(db),
      whole: await lastSealCheck(db, { whole: true }),
    };
    return {
      intro:
        'Who did what, and why: at the console, by the read API and by the command line. Nobody can change a line of it here.',
      sections: [
        sealPanel(seals, { now: at, button: req.button(verifySealsAction) }),
        filters(req, [
          { name: 'actor', label: 'Who', hint: 'ann, or cli:ann' },
          { name: 'action', label: 'What', hint: 'recover' },
          { name: 'target', label: 'Done to', hint: 'event 12' },
          { name: 'outcome', label: 'Outcome', options: options(Object.keys(tones)) },
        ]),
        listTable(req, page, {
          caption: 'Actions, newest first',
          columns: [
            ['When', (action) => time(action.at, at)],
            ['Who', ({ actor }) => link(actor, `/audit?actor=${encodeURIComponent(actor)}`)],
            ['What', ({ action, target }) => list([text(action), ...(target === null ? [] : [targetOf(target)])])],
            ['Why', ({ reason }) => text(reason)],
            ['Outcome', ({ outcome }) => badge(outcome, tones[outcome])],
            ['What came of it', (action) => messageOf(action, req.actor)],
          ],
          unfit: ['No action fits', 'Names count byte for byte.'],
          empty: ['Nobody did anything yet', 'Every action of a person is kept here with its reason.'],
        }),
      ],
    };
  },
};

const linked: readonly EntityKind[] = ['event', 'delivery', 'order', 'secret'];

/** As `event 12`, with the way to it. */
function targetOf(target: string): Value {
  const at = target.indexOf(' ');
  const [word, own] = [target.slice(0, at), target.slice(at + 1)];
  if (word === 'break') return link(target, breakHref(own));
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
