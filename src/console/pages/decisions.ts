import { capitalized } from '../../domain/in-words.js';
import { decisionStates, gatedActions, isSamePerson } from '../../domain/two-people.js';
import type { DecisionView } from '../../domain/views/operation-shapes.js';
import { decisionsWaitingFor, getDecision, listDecisions } from '../../records/actions/decisions.js';
import { listActions } from '../../records/actions/list-actions.js';
import { approveDecision, refuseDecision, withdrawDecision } from '../actions/decide-decision.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { breakHref, decisionHref, entityHref, periodHref, settlementHref } from '../view/links.js';
import {
  type ActionButton,
  beyond,
  type Column,
  FIRST_ROWS,
  factsPanel,
  filters,
  lineByLine,
  listTable,
  notice,
  options,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { ago, badgesOf, link, list, quiet, stack, step, text, type Value } from '../view/values.js';

export const stateBadge = badgesOf<DecisionView['state']>({
  waiting: 'warn',
  approved: 'good',
  refused: 'bad',
  withdrawn: 'quiet',
  expired: 'quiet',
});

/** More would be no list to decide by. */
const MOST_WAITING = 200;

/** What waits for another person about the subject of a page, each with the way to it. */
export async function waitingAbout({ db }: PageDeps, subject: string): Promise<Section[]> {
  return (await decisionsWaitingFor(db, subject)).map(({ id, action, subject: of, askedBy, reason }) => {
    const title = `A decision waits: ${action}${of === subject ? '' : `, ${of}`}`;
    const asked = `${askedBy} asked for it: ${reason}. Nothing is done until another person approves it.`;
    return notice('warn', title, asked, { text: `Decision ${id}`, href: decisionHref(id) });
  });
}

export const decisions: Page = {
  path: '/decisions',
  title: 'Decisions',
  group: 'Books',
  inUse: ({ fourEyes }) => fourEyes,
  list: { rows: decisionRows },
  filters: [
    { name: 'state', label: 'State', options: options(decisionStates) },
    { name: 'action', label: 'What', options: options(gatedActions) },
    { name: 'askedBy', label: 'Asked by' },
    { name: 'decidedBy', label: 'Decided by' },
  ],
  waiting: { count: ({ facts }) => facts.decisions.waiting, words: 'waiting' },
  load: async (deps, req) => {
    const { db, fourEyes } = deps;
    const waiting = await listDecisions(db, { state: 'waiting', take: MOST_WAITING });
    return {
      intro: 'What one person asked of finance, and another approves before it is done.',
      sections: [
        ...(fourEyes
          ? []
          : [
              notice(
                'info',
                'FOUR_EYES is off',
                'What finance does is done at once. What was asked before can still be decided.',
              ),
            ]),
        table(waiting.items, {
          caption: 'Waiting',
          isMain: true,
          onPhone: 'folded',
          calm: beyond(FIRST_ROWS),
          columns: [
            ...askedColumns,
            [
              'Your part',
              (one) => {
                if (buttonsOf(one, req).every((button) => button === null)) return quiet('none, by your role');
                return step(isSamePerson(one.askedBy, req.actor.name) ? 'Withdraw' : 'Decide', decisionHref(one.id));
              },
            ],
          ],
          empty: ['Nothing waits', 'What somebody asks for stands here until another person approves or refuses it.'],
        }),
        filters(req),
        await decisionRows(deps, req),
      ],
    };
  },
};

async function decisionRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  // What waits stands above.
  const isNarrowed = Object.keys(req.filters).length > 0;
  return listTable(req, await listDecisions(db, { ...req.filters, ...req.slice, isOver: !isNarrowed }), {
    caption: isNarrowed ? 'What fits, newest first' : 'Decided, newest first',
    showCaption: true,
    isMain: false,
    columns: [
      ['State', ({ state }) => stateBadge(state)],
      ...askedColumns,
      [
        'Decided',
        ({ decidedAt, decidedBy }) =>
          decidedBy === null ? quiet('not yet') : stack([text(decidedBy), ago(decidedAt)]),
      ],
      ['What came of it', ({ outcome }) => text(outcome)],
    ],
    unfit: ['No decision fits', 'Names count byte for byte.'],
    empty: ['Nothing was decided yet', 'What somebody approved, refused or withdrew stands here.'],
  });
}

const askedColumns: readonly Column<DecisionView>[] = [
  [
    'What',
    ({ id, action, subject, preview }) =>
      stack([link(`${capitalized(action)}: ${subject}`, decisionHref(id)), quiet(firstLine(preview))]),
    'wide',
  ],
  ['Asked', ({ askedBy, askedAt }) => stack([text(askedBy), ago(askedAt)])],
  ['Why', ({ reason }) => text(reason)],
];

const firstLine = (preview: string): string => preview.split('\n', 1)[0] ?? '';

function buttonsOf({ id, state, askedBy }: DecisionView, req: PageRequest): (ActionButton | null)[] {
  if (state !== 'waiting') return [];
  const mine = isSamePerson(askedBy, req.actor.name);
  const offered = mine ? [withdrawDecision] : [approveDecision, refuseDecision];
  return offered.map((action) => req.button(action, { id }));
}

const paths: Readonly<Record<string, (id: string) => string>> = {
  balance: (id) => entityHref('balance', id),
  break: breakHref,
  payout: settlementHref,
  period: periodHref,
};

/** What it is about, with the way to its page, where it has one. Of payouts the settlements alone are decided about. */
function aboutValue(subject: string): Value {
  const [, kind = '', of = ''] = /^(\S+) (.+)$/s.exec(subject) ?? [];
  const href = paths[kind]?.(of);
  return href === undefined ? text(subject) : link(kind === 'payout' ? `settlement ${of}` : subject, href);
}

/** One decision: what was shown when it was asked, and what everybody did. */
export const decisionPage: Page = {
  path: '/decisions/:id',
  title: 'Decision',
  load: async ({ db }, req) => {
    const found = await getDecision(db, req.params['id'] ?? '');
    if (found === null) return null;
    const { id, action, subject, state, preview, reason, askedBy, askedAt, decidedBy, decidedAt, note, outcome } =
      found;
    const done = await listActions(db, { target: `decision ${id}` });
    return {
      title: `${capitalized(action)}: ${subject}`,
      badges: [stateBadge(state)],
      actions: buttonsOf(found, req),
      sections: [
        lineByLine(
          state === 'waiting'
            ? 'What it would come to, as it was when it was asked'
            : 'What it would have come to when it was asked',
          preview.split('\n'),
        ),
        factsPanel('The decision', [
          ['About', aboutValue(subject)],
          ['Asked', list([text(askedBy), ago(askedAt)])],
          ['Why', text(reason)],
          [
            'Decided',
            decidedBy === null
              ? quiet('not yet: another person approves or refuses it')
              : list([text(decidedBy), ago(decidedAt)]),
          ],
          ['Note', text(note)],
          ['What came of it', text(outcome)],
        ]),
        table(done.items, {
          caption: 'What people did',
          columns: [
            ['When', ({ at }) => ago(at)],
            ['Who', ({ actor }) => text(actor)],
            ['What', ({ action: what }) => text(what)],
            ['Why', ({ reason: why }) => text(why)],
          ],
        }),
      ],
    };
  },
};
