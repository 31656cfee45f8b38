import { type AlertFacts, breaksOf } from '../../domain/alerts/facts.js';
import { asOfNow } from '../../domain/alerts/outage-words.js';
import { breakDefinitions, breakKinds, NOTHING_SHARED } from '../../domain/breaks/breaks.js';
import { severities } from '../../domain/breaks/findings.js';
import { capitalized, counted, words } from '../../domain/in-words.js';
import { newTypeOf, newTypeWords } from '../../domain/state/new-payout-type.js';
import { severityWords } from '../../domain/state/severity-words.js';
import type { BreakCause, BreakView } from '../../domain/views/proof-shapes.js';
import type { Figures } from '../../records/alerts/load-state.js';
import { payoutsOfTypes } from '../../records/balances/new-payouts.js';
import { moneyOfEach } from '../../records/breaks/break-money.js';
import { ANY, breakCauses, getBreak, isClosed, listBreaks, NOBODY } from '../../records/breaks/list-breaks.js';
import type { Page as PageOf } from '../../records/database/paging.js';
import { acknowledgeBreak, assignBreak, ofCauses, resolveBreak, writeOffBreak } from '../actions/decide-break.js';
import { pickedButton } from '../actions/decide-picked.js';
import { recoverButton } from '../actions/recover-deliveries.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { ageColumns, ages, ageWords } from '../view/age-columns.js';
import {
  aboutValue,
  breakColumns,
  breakFileColumns,
  breakStatuses,
  dueValue,
  severityBadge,
  severityTones,
  statusBadge,
} from '../view/break-rows.js';
import { evidenceSections } from '../view/evidence.js';
import { withQuery } from '../view/links.js';
import { evidenceFor } from '../view/personal.js';
import {
  type ActionButton,
  beyond,
  type Column,
  calm,
  factsPanel,
  filters,
  listTable,
  notice,
  options,
  pickColumn,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { ago, amount, id, line, link, list, none, quiet, stack, text, time } from '../view/values.js';
import { waitingAbout } from './decisions.js';

export const breaks: Page = {
  path: '/breaks',
  title: 'Breaks',
  group: 'Proof',
  waiting: { count: ({ facts }) => breaksOf(facts, ...severities), words: 'not closed' },
  list: { rows: breakRows, file: breakFile },
  filters: [
    { name: 'status', label: 'Status', all: 'not closed', options: [...breakStatuses, { value: ANY, text: ANY }] },
    { name: 'kind', label: 'Kind', options: options([...breakKinds].sort(), words) },
    { name: 'severity', label: 'Severity', options: options(severities) },
    { name: 'owner', label: 'Who' },
    { name: 'overdue', label: 'Due', options: [{ value: 'true', text: 'overdue' }] },
    { name: 'age', label: 'Age in days', options: options(ages, ageWords) },
    { name: 'entityKind', label: 'About a', onlyNamed: true },
    { name: 'entityId', label: 'Its id', onlyNamed: true },
    { name: 'shared', label: 'Evidence says', onlyNamed: true },
    { name: 'openedFrom', label: 'Opened from', onlyNamed: true },
    { name: 'openedTo', label: 'Opened until', onlyNamed: true },
  ],
  load: async (deps, req) => {
    const isWhole = Object.keys(req.filters).length === 0 && req.cursor === undefined;
    const picked = pickedButton(req);
    const [rows, { figures }, causes] = await Promise.all([
      breakRows(deps, req, picked),
      deps.state(),
      isWhole ? breakCauses(deps.db) : [],
    ]);
    return {
      actions: [picked],
      intro:
        'Where what we hold and what the service shows differ, and a person should check. Without a filter: what is not closed.',
      sections: [
        ...calm('counts by severity and age', [matrixOf(figures.unclosed)]),
        ...causesOf(causes, req),
        filters(req, {
          views: { Mine: { owner: req.actor.name }, Unassigned: { owner: NOBODY }, Overdue: { overdue: 'true' } },
        }),
        rows,
      ],
    };
  },
};

async function breakRows(deps: PageDeps, req: PageRequest, picked: ActionButton | null = null): Promise<TableSection> {
  return breakTable(req, await pageOf(deps, req), [...pickColumn(picked, boxOf), ...breakColumns]);
}

async function breakFile(deps: PageDeps, req: PageRequest): Promise<TableSection> {
  const page = await pageOf(deps, req);
  const amounts = await moneyOfEach(
    deps.db,
    page.items.map(({ id: own }) => own),
  );
  return breakTable(req, page, [...breakColumns, ...breakFileColumns(amounts)]);
}

function pageOf({ db, now }: PageDeps, req: PageRequest): Promise<PageOf<BreakView>> {
  const { status, age: given, ...others } = req.filters;
  const query = {
    ...others,
    ...req.slice,
    status,
    unclosed: status === undefined,
    age: ages.find((bucket) => bucket === given),
  };
  return listBreaks(db, query, now());
}

function breakTable(req: PageRequest, page: PageOf<BreakView>, columns: readonly Column<BreakView>[]): TableSection {
  return listTable(req, page, {
    caption: 'Breaks, newest first',
    columns,
    unfit: ['No break fits', 'Clear the filters to see all that is not closed.'],
    empty: [
      'No break is open',
      'No difference is known. What is not proven is shown at the top of the page, and by the runs.',
    ],
  });
}

/** One that is closed has none. */
function boxOf(item: BreakView): { id: string; label: string } | null {
  return isClosed(item) ? null : { id: item.id, label: `Pick break no. ${item.id}` };
}

/** What is not closed by severity and age, each number the way to its list. */
function matrixOf(counts: Figures['unclosed']): Section {
  const own = (severity: string) => counts.filter((one) => one.severity === severity);
  return table(
    severities.filter((severity) => own(severity).length > 0),
    {
      caption: 'Not closed, by age in days',
      onPhone: 'matrix',
      columns: [
        ['Severity', severityBadge],
        ...ageColumns(own, (severity, some, query) => {
          const n = some.reduce((sum, { count }) => sum + count, 0);
          return n === 0 ? none() : link(String(n), withQuery('/breaks', { severity, ...query }));
        }),
      ],
      empty: ['Nothing waits to be closed', 'Neither open nor acknowledged breaks are known.'],
    },
  );
}

/** Many that came together are one line, and one decision. */
function causesOf(causes: readonly BreakCause[], req: PageRequest): Section[] {
  const many = causes.filter(({ count }) => count > 1);
  if (many.length === 0) return [];
  const mine = ofCauses.filter((action) => req.button(action) !== null);
  const rangeOf = ({ kind, entityKind, shared, openedFrom, openedTo }: BreakCause) => {
    return { kind, entityKind, shared, openedFrom, openedTo };
  };
  const whatOf = (cause: BreakCause) => {
    const way = withQuery('/breaks', rangeOf(cause));
    const head = [severityBadge(cause.severity), text(' '), link(`${cause.count} × ${words(cause.kind)}`, way)];
    const left = cause.unowned === 0 ? [] : [quiet(`${cause.unowned} unassigned`)];
    return stack([line(head), quiet(sharedWords(cause)), ...left]);
  };
  const shown = table(many, {
    onPhone: 'folded',
    calm: beyond(4),
    caption: 'Came together: with the same evidence, each within an hour of the one before',
    columns: [
      ['Breaks', whatOf, 'wide'],
      ['First, last', ({ openedFrom, openedTo }) => stack([ago(openedFrom), ago(openedTo)])],
      ...mine.map(
        (action): Column<BreakCause> => [
          action.label,
          (cause) => ({ is: 'action', button: req.button(action, {}, { fields: rangeOf(cause) }) }),
        ],
      ),
    ],
  });
  // However many there are, the list below them is one stop away.
  return [{ ...shown, isGrid: true }];
}

/** What they share; else why evidence of the kind says nothing of it. */
function sharedWords({ kind, shared }: BreakCause): string {
  if (shared !== NOTHING_SHARED) return shared;
  const { sharedBy } = breakDefinitions[kind];
  return 'none' in sharedBy ? sharedBy.none : 'Their evidence names no cause.';
}

export const breakPage: Page = {
  path: '/breaks/:id',
  title: 'Break',
  load: async (deps, req) => {
    const { db, now } = deps;
    const found = await getBreak(db, req.params['id'] ?? '', now());
    if (found === null) return null;
    const { kind, severity, status, openedAt, resolvedAt, ageDays, age } = found;
    const { state, facts } = await deps.state();
    const worse = isClosed(found) ? null : severityWords(state, found);
    return {
      title: capitalized(words(kind)),
      badges: [severityBadge(severity), statusBadge(status)],
      actions: buttonsOf(found, req, facts),
      sections: [
        ...(isClosed(found) ? [] : await waitingAbout(deps, `break ${found.id}`)),
        ...(await whatToDo(deps, found, facts)),
        factsPanel('The break', [
          ['Number', id(found.id)],
          ...(worse === null ? [] : [['Severity', text(worse)] as const]),
          ['About', aboutValue(found)],
          ['Who is at it', text(found.owner)],
          ['Opened', ago(openedAt)],
          ['Due', dueValue(found)],
          ['Closed', ago(resolvedAt, 'no')],
          ['Age', text(`${counted(ageDays, 'day')} (${age.replace('-', '–')})`)],
        ]),
        ...evidenceSections(found, evidenceFor(req.actor, found.evidence)),
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

function buttonsOf(found: BreakView, req: PageRequest, known: AlertFacts): (ActionButton | null)[] {
  const { id, status, entity } = found;
  if (isClosed(found)) return [];
  const fields = { id: entity.id };
  return [
    entity.kind === 'delivery' ? recoverButton(req, known, { fields, label: 'Recover the delivery' }) : null,
    status === 'open' ? req.button(acknowledgeBreak, { id }) : null,
    req.button(assignBreak, { id }),
    req.button(resolveBreak, { id }),
    req.button(writeOffBreak, { id }),
  ];
}

async function whatToDo({ db }: PageDeps, found: BreakView, known: AlertFacts): Promise<Section[]> {
  const { means, ends, ...definition } = breakDefinitions[found.kind];
  const remedy = asOfNow(definition.remedy, known);
  const type = newTypeOf(found);
  if (type !== null) {
    const { word, count, money } = await payoutsOfTypes(db, [type]);
    const { detail, remedy: ofType } = newTypeWords([type], { count, money });
    const own = isClosed(found) ? 'It is closed: nothing is to be done.' : `What to do: ${asOfNow(ofType, known)}`;
    const sums = money.map(({ amount: sum, currency }) => amount(sum, currency));
    return [
      notice(isClosed(found) ? 'quiet' : severityTones[found.severity], detail, own),
      factsPanel('What is of that type', [
        ['Payouts', link(counted(count, 'payout'), withQuery('/payouts', { payoutType: word }))],
        ['Money, by asset', sums.length === 0 ? none() : list(sums)],
      ]),
    ];
  }
  if (isClosed(found)) return [notice('quiet', means, 'It is closed: nothing is to be done.')];
  const closes = ends.startsWith('Never')
    ? 'It does not close by itself.'
    : `It closes by itself once this holds: ${ends}`;
  return [notice(severityTones[found.severity], means, `What to do: ${remedy} ${closes}`)];
}
