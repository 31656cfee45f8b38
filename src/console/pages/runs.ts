import type { KindFacts } from '../../domain/alerts/facts.js';
import { hindranceOf } from '../../domain/alerts/outage-words.js';
import { duration } from '../../domain/in-words.js';
import { isNotOffered, reasonOf, runKinds } from '../../domain/run-kinds.js';
import { unprovenText } from '../../domain/state/notices.js';
import type { State } from '../../domain/state/state.js';
import type { Coverage, Run } from '../../domain/views/proof-shapes.js';
import { coverage } from '../../records/runs/coverage.js';
import { getRun, listRuns } from '../../records/runs/runs.js';
import { startRun } from '../actions/start-run.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { runHref } from '../view/links.js';
import { proofFacts } from '../view/proof-words.js';
import {
  type ActionButton,
  facts,
  factsPanel,
  filters,
  listTable,
  notice,
  options,
  type Section,
  type TableSection,
  type Tile,
  table,
} from '../view/sections.js';
import { ago, badge, badgesOf, count, id, link, list, none, quiet, text, time, type Value } from '../view/values.js';

export const runs: Page = {
  path: '/runs',
  title: 'Runs',
  group: 'Proof',
  list: { rows: runRows },
  filters: [
    { name: 'kind', label: 'Kind', options: options(runKinds) },
    { name: 'status', label: 'Status', options: options(['running', 'succeeded', 'failed', 'aborted']) },
  ],
  live: true,
  load: async (deps, req) => {
    const [covered, { facts: known, state }] = await Promise.all([
      coverage(deps.db, deps.runKinds, deps.now()),
      deps.state(),
    ]);
    const hindrance = hindranceOf(known);
    return {
      intro:
        'Each poll of the service’s own lists, and what it proved. A run that is not proven is never taken for a complete one.',
      actions: [hindrance === null ? startButton(deps, req) : null],
      sections: [
        ...hindranceNotice(state, hindrance),
        coverageTable(covered, known.kinds),
        filters(req),
        await runRows(deps, req),
      ],
    };
  },
};

/** What keeps a run from reading anything, and until when. */
function hindranceNotice({ problems }: State, hindrance: ReturnType<typeof hindranceOf>): Section[] {
  const all = problems.flatMap((one) => [one, ...one.follows]);
  const keeper = all.find(({ name }) => name === hindrance?.name);
  if (hindrance === null || keeper === undefined) return [];
  const text = `${keeper.detail} A run can be started ${hindrance.until}; the scheduler then begins those that are due by itself.`;
  return [notice('warn', keeper.title, text)];
}

async function runRows(deps: PageDeps, req: PageRequest): Promise<TableSection> {
  const at = deps.now();
  return listTable(req, await listRuns(deps.db, { ...req.filters, ...req.slice }), {
    caption: 'Runs, newest first',
    columns: [
      ['Run', (run) => (run.id === null ? none() : id(run.id, runHref(run.id)))],
      ['Kind', ({ kind, full }) => list([text(kind), ...(full ? [badge('full')] : [])])],
      [
        'Proof',
        (run) => {
          const why = whyOf(run);
          const state = run.status === 'succeeded' ? provenBadge(run) : runBadge(run.status);
          return list([state, ...(why === null ? [] : [quiet(why)])]);
        },
      ],
      ['Seen', ({ seen }) => count(seen), 'end'],
      ['Changed', ({ changed }) => count(changed), 'end'],
      ['Breaks', ({ breaksOpened }) => count(breaksOpened), 'end'],
      ['Started', ({ startedAt }) => ago(startedAt)],
      ['Took', (run) => text(tookOf(run, at)), 'end'],
    ],
    unfit: ['No run fits', 'Clear the filters to see all runs.'],
    empty: ['No run yet', 'Does “tallyhook schedule” run? Until a run is complete nothing is proven.'],
  });
}

function coverageTable(covered: readonly Coverage[], kinds: readonly KindFacts[]): Section {
  const problemOf = ({ kind }: Coverage) => {
    const of = kinds.find((one) => one.kind === kind);
    return of === undefined ? null : unprovenText(of);
  };
  return table(covered, {
    caption: 'What the service’s own lists prove',
    isGrid: true,
    calm: { label: 'that are proven', is: (one) => problemOf(one) === null },
    columns: [
      ['Kind', ({ kind }) => link(kind, `/runs?kind=${kind}`)],
      [
        'State',
        (one) => {
          const problem = problemOf(one);
          return problem === null ? badge('proven', 'good') : list([badge('unproven', 'warn'), quiet(problem)]);
        },
      ],
      ['Proven since', ({ provenSince }) => time(provenSince)],
      ['Newest proof', ({ completeUntil }) => ago(completeUntil)],
    ],
    empty: ['Nothing is read', 'Every kind of run is switched off, so nothing is proven.'],
  });
}

/** With the kinds of this installation; that of the list is chosen. */
export function startButton(
  { runKinds: known }: Pick<PageDeps, 'runKinds'>,
  req: PageRequest,
  kind = req.filters['kind'],
): ActionButton | null {
  const button = req.button(startRun);
  if (button === null) return null;
  const chosen = { options: options(known), ...(kind === undefined ? {} : { value: kind }) };
  return { ...button, fields: button.fields.map((field) => (field.name === 'kind' ? { ...field, ...chosen } : field)) };
}

export const run: Page = {
  path: '/runs/:id',
  title: 'Run',
  live: true,
  load: async (deps, req) => {
    const found = await getRun(deps.db, req.params['id'] ?? '');
    if (found === null) return null;
    const { status, full, kind } = found;
    const now = deps.now();
    return {
      title: `Run of ${kind}`,
      badges: [runBadge(status), provenBadge(found), ...(full ? [badge('full')] : [])],
      crumbs: [{ text: kind, href: `/runs?kind=${encodeURIComponent(kind)}` }],
      actions: [startButton(deps, req, kind)],
      sections: [
        verdictOf(found),
        { is: 'tiles', tiles: tilesOf(found) },
        facts([
          ['Run', found.id === null ? none() : id(found.id)],
          ['Began', ago(found.startedAt)],
          ['Ended', ago(found.finishedAt, 'not yet')],
          [found.finishedAt === null ? 'Runs for' : 'Took', text(tookOf(found, now))],
        ]),
        ...proofOf(found),
      ],
    };
  },
};

function verdictOf(found: Run): Section {
  const { status, complete } = found;
  if (status === 'running') {
    const text = 'The numbers below go on by themselves. Nothing of it is proven before its end.';
    return notice('info', 'It is under way', text);
  }
  const why = whyOf(found);
  if (complete && why === null) {
    const text = 'Everything that it set out to read was read, without a gap; the proof is below.';
    return notice('good', 'Proven to be complete', text);
  }
  const next = isNotOffered(why)
    ? 'The service does not offer this list: what it would prove stays unproven, and nothing is to be fixed here.'
    : 'What it read is saved; the rest is read by the next run. If that fails as well, run the checks of the doctor.';
  const doctor = { text: 'Doctor', href: '/doctor' };
  return notice(status === 'succeeded' ? 'warn' : 'bad', `Not proven: ${why ?? ''}`, next, doctor);
}

function tilesOf(found: Run): Tile[] {
  return [
    { label: 'Calls to the service', value: String(found.calls) },
    { label: 'Seen', value: String(found.seen), note: 'rows that the service showed' },
    { label: 'Changed', value: String(found.changed), note: 'records that are other than before' },
    {
      label: 'Breaks opened',
      value: String(found.breaksOpened),
      ...(found.breaksOpened > 0 ? { tone: 'warn' as const, href: '/breaks' } : {}),
    },
  ];
}

function proofOf(found: Run): Section[] {
  const proof = proofFacts(found);
  if (proof.length === 0) return [];
  const title = found.complete ? 'What the proof rests on' : 'What was read';
  return [
    factsPanel(
      title,
      proof.map(([label, words]) => [label, text(words)]),
    ),
  ];
}

const runBadge = badgesOf<Run['status']>({ running: 'info', succeeded: 'good', failed: 'bad', aborted: 'bad' });

function provenBadge({ status, complete }: Run): Value {
  if (status === 'running') return badge('not proven yet', 'info');
  return complete ? badge('proven', 'good') : badge('not proven', 'warn');
}

/** Why it is not complete, in words; null where it is, or still runs. */
function whyOf(run: Run): string | null {
  if (run.complete || run.status === 'running') return null;
  return reasonOf(run) ?? 'what it set out to read was not proven to be read';
}

function tookOf({ startedAt, finishedAt }: Run, now: Date): string {
  const end = finishedAt === null ? now : new Date(finishedAt);
  return duration(Math.max(0, Math.round((end.getTime() - Date.parse(startedAt)) / 1_000)));
}
