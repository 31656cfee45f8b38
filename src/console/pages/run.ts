import type { Run } from '../../domain/views/proof-shapes.js';
import { getRun } from '../../records/runs/runs.js';
import type { Page } from '../page.js';
import { proofFacts } from '../view/proof-words.js';
import { provenBadge, runBadge, tookOf, whyOf } from '../view/run-words.js';
import { facts, factsPanel, notice, type Section, type Tile } from '../view/sections.js';
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
    const now = deps.now();
    return {
      title: `Run of ${kind}`,
      badges: [runBadge(status), provenBadge(found), ...(full ? [badge('full')] : [])],
      crumbs: [
        { text: 'Runs', href: '/runs' },
        { text: kind, href: `/runs?kind=${encodeURIComponent(kind)}` },
      ],
      actions: [startButton(deps, req, kind)],
      sections: [
        verdictOf(found),
        { is: 'tiles', tiles: tilesOf(found) },
        facts([
          ['Run', found.id === null ? none() : id(found.id)],
          ['Began', time(found.startedAt, now)],
          ['Ended', time(found.finishedAt, now, 'not yet')],
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
  const isDegraded = why?.startsWith('degraded: ') ?? false;
  const next = isDegraded
    ? 'The service does not offer this reading: what it would prove stays unproven, and nothing is to be fixed here.'
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
