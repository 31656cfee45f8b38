import type { Run } from '../../domain/views/proof-shapes.js';
import { getRun } from '../../records/runs/runs.js';
import type { Page } from '../page.js';
import { proofFacts } from '../view/proof-words.js';
import { provenBadge, runStatusTones, tookOf, whyOf } from '../view/run-words.js';
import type { Section, Tile } from '../view/sections.js';
import { badge, id, none, text, time } from '../view/values.js';
import { startButton } from './runs.js';

export const run: Page = {
  path: '/runs/:id',
  title: 'Run',
  live: true,
  load: async (deps, req) => {
    const found = await getRun(deps.db, req.params['id'] ?? '');
    if (found === null) return null;
    const { status, full, kind } = found;
    return {
      title: `Run of ${kind}`,
      badges: [badge(status, runStatusTones[status]), provenBadge(found), ...(full ? [badge('full')] : [])],
      crumbs: [
        { text: 'Runs', href: '/runs' },
        { text: kind, href: `/runs?kind=${encodeURIComponent(kind)}` },
      ],
      actions: [startButton(deps, req, kind)],
      sections: [
        verdictOf(found),
        { is: 'tiles', tiles: tilesOf(found) },
        factsOf(found, deps.now()),
        ...proofOf(found),
      ],
    };
  },
};

function verdictOf(found: Run): Section {
  const { status, complete } = found;
  if (status === 'running') {
    const text = 'The numbers below go on by themselves. Nothing of it is proven before its end.';
    return { is: 'notice', tone: 'info', title: 'It is under way', text };
  }
  const why = whyOf(found);
  if (complete && why === null) {
    const text = 'Everything that it set out to read was read, without a gap; the proof is below.';
    return { is: 'notice', tone: 'good', title: 'Proven to be complete', text };
  }
  const isDegraded = why?.startsWith('degraded: ') ?? false;
  const next = isDegraded
    ? 'The service does not offer this reading: what it would prove stays unproven, and nothing is to be fixed here.'
    : 'What it read is saved; the rest is read by the next run. If that fails as well, run the checks of the doctor.';
  return {
    is: 'notice',
    tone: status === 'succeeded' ? 'warn' : 'bad',
    title: `Not proven: ${why ?? ''}`,
    text: next,
    link: { text: 'Doctor', href: '/doctor' },
  };
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

function factsOf(found: Run, now: Date): Section {
  return {
    is: 'facts',
    facts: [
      ['Run', found.id === null ? none() : id(found.id)],
      ['Began', time(found.startedAt, now)],
      ['Ended', found.finishedAt === null ? none('not yet') : time(found.finishedAt, now)],
      [found.finishedAt === null ? 'Runs for' : 'Took', text(tookOf(found, now))],
    ],
  };
}

function proofOf(found: Run): Section[] {
  const facts = proofFacts(found);
  if (facts.length === 0) return [];
  return [
    {
      is: 'panel',
      title: found.complete ? 'What the proof rests on' : 'What was read',
      sections: [{ is: 'facts', facts: facts.map(([label, words]) => [label, text(words)] as const) }],
    },
  ];
}
