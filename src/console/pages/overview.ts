import { NONE_ACCEPTED, retiredLast } from '../../domain/deliveries/last-secret.js';
import type { Coverage, Run } from '../../domain/views/proof-shapes.js';
import { countMissed } from '../../records/deliveries/list-deliveries.js';
import { countCompletedPayments, countOpenBreaks, type OpenBreaks, type PaymentCounts } from '../../records/gauges.js';
import { type Backlog, inboxBacklog } from '../../records/inbox/inbox-work.js';
import { type MinuteCount, minuteCounts } from '../../records/inbox/minute-counts.js';
import { coverage } from '../../records/runs/coverage.js';
import { listRuns } from '../../records/runs/runs.js';
import { mayDo } from '../authenticate.js';
import type { Page, PageRequest } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { unprovenOf } from '../status.js';
import { minutesChart, spark } from '../view/chart.js';
import type { Section, TableSection, Tile } from '../view/sections.js';
import { badge, counted, duration, list, none, quiet, text, time, type Value, words } from '../view/values.js';
import { secrets as secretsPage } from './secrets.js';

const MINUTES = 60;

export const overview: Page = {
  path: '/',
  title: 'Overview',
  group: '',
  live: true,
  load: async (deps, req) => {
    const { db, runKinds, runEverySeconds, now } = deps;
    const at = now();
    const midnight = new Date(Math.floor(at.getTime() / 86_400_000) * 86_400_000);
    const [payments, minutes, backlog, missed, breaks, covered, runs] = await Promise.all([
      countCompletedPayments(db, midnight),
      minuteCounts(db, at, MINUTES),
      inboxBacklog(db),
      countMissed(db),
      countOpenBreaks(db),
      coverage(db, runKinds, at),
      newestRuns(deps),
    ]);
    const secrets = await secretsTile(deps, req);
    return {
      intro: 'Webhooks report, the service’s own lists decide: what is proven, what waits, and what is wrong.',
      sections: [
        {
          is: 'tiles',
          tiles: [
            paymentsTile(payments),
            receivedTile(minutes),
            backlogTile(backlog),
            missedTile(missed),
            breaksTile(breaks),
            ...secrets,
          ],
        },
        minutesChart(minutes),
        ...(breaks.length === 0 ? [] : [breaksTable(breaks)]),
        coverageTable({ covered, runs, runEverySeconds, at }),
      ],
    };
  },
};

async function newestRuns({ db, runKinds }: PageDeps): Promise<Map<string, Run>> {
  const newest = await Promise.all(runKinds.map((kind) => listRuns(db, { kind, take: 1 })));
  return new Map(newest.flatMap(({ items }) => items.map((run) => [run.kind, run] as const)));
}

function paymentsTile({ verified, claimed }: PaymentCounts): Tile {
  return {
    label: 'Verified payments today',
    value: String(verified),
    note: claimed === 0 ? 'completed, since 00:00 UTC' : `${claimed} more said to be, not verified yet`,
    href: '/payments',
  };
}

function receivedTile(minutes: readonly MinuteCount[]): Tile {
  const perMinute = minutes.map(({ applied, waiting, notApplied }) => applied + waiting + notApplied);
  const total = perMinute.reduce((sum, n) => sum + n, 0);
  const rejected = minutes.reduce((sum, { rejected }) => sum + rejected, 0);
  return {
    label: 'Events in the last hour',
    value: String(total),
    note: rejected === 0 ? 'no request rejected' : counted(rejected, 'request rejected', 'requests rejected'),
    href: '/events',
    spark: spark(perMinute, `Events received per minute; the highest is ${Math.max(...perMinute)}.`),
  };
}

function backlogTile({ received, failed, dead, oldestSeconds }: Backlog): Tile {
  const parts = [failed > 0 ? `${failed} tried again` : '', dead > 0 ? `${dead} given up` : ''].filter(
    (part) => part !== '',
  );
  const waiting = received + failed;
  return {
    label: 'Waiting to be applied',
    value: String(waiting),
    ...(waiting > 0 ? { unit: `oldest ${duration(oldestSeconds)}` } : {}),
    note: parts.length > 0 ? parts.join(', ') : 'nothing failed, nothing given up',
    ...(dead > 0 || oldestSeconds > 120 ? { tone: 'bad' } : {}),
    href: dead > 0 ? '/events?status=dead' : '/events?status=received',
  };
}

function missedNote(missed: number | null): string {
  if (missed === null) return 'no complete reading of the history yet';
  return missed === 0 ? 'none, as far as the history was read' : 'sent by the service, not here';
}

function missedTile(missed: number | null): Tile {
  const tone = missed === null ? 'warn' : missed > 0 ? 'bad' : 'quiet';
  return {
    label: 'Missed deliveries',
    value: missed === null ? 'unknown' : String(missed),
    note: missedNote(missed),
    tone,
    href: missed === null ? '/runs?kind=deliveries' : '/deliveries?show=missed',
  };
}

function breaksTile(breaks: readonly OpenBreaks[]): Tile {
  const of = (wanted: string) =>
    breaks.reduce((sum, { severity, count }) => sum + (severity === wanted ? count : 0), 0);
  const total = breaks.reduce((sum, { count }) => sum + count, 0);
  const parts = ['critical', 'high', 'medium', 'low'].flatMap((severity) =>
    of(severity) > 0 ? [`${of(severity)} ${severity}`] : [],
  );
  const grave = of('critical') + of('high') > 0;
  return {
    label: 'Open breaks',
    value: String(total),
    note: total === 0 ? 'none known; what is unproven is shown above' : parts.join(', '),
    tone: total === 0 ? 'quiet' : grave ? 'bad' : 'warn',
    href: '/breaks?status=open',
  };
}

/** How the secrets are doing, in a tile; none where that is not known. */
async function secretsTile({ secretsStatus, log }: PageDeps, { actor }: PageRequest): Promise<Tile[]> {
  try {
    const { items } = await secretsStatus();
    const live = items.filter(({ retiredAt }) => retiredAt === null);
    const used = live.filter(({ matches24h }) => matches24h > 0).length;
    const noneAccepted = retiredLast(items) !== null;
    const note = noneAccepted ? NONE_ACCEPTED : `${used} matched in the last 24 h`;
    return [
      {
        label: 'Signing secrets',
        value: String(live.length),
        note,
        ...(mayDo(actor, secretsPage.roles ?? []) ? { href: secretsPage.path } : {}),
        ...(noneAccepted ? { tone: 'bad' } : used === 0 ? { tone: 'warn' } : {}),
      },
    ];
  } catch (error) {
    log.warn({ err: error }, 'secrets not read');
    return [{ label: 'Signing secrets', value: 'unknown', note: 'could not be read', tone: 'warn' }];
  }
}

function breaksTable(breaks: readonly OpenBreaks[]): Section {
  const tones = { critical: 'bad', high: 'bad', medium: 'warn', low: 'quiet' } as const;
  const ranks = Object.keys(tones);
  const sorted = [...breaks].sort((a, b) => ranks.indexOf(a.severity) - ranks.indexOf(b.severity) || b.count - a.count);
  return {
    is: 'table',
    caption: 'Open breaks by kind',
    showCaption: true,
    columns: [{ label: 'Kind' }, { label: 'Severity' }, { label: 'Open', align: 'end' }],
    rows: sorted.map(({ kind, severity, count }) => [
      { is: 'link', text: words(kind), href: `/breaks?kind=${encodeURIComponent(kind)}&status=open` },
      badge(severity, tones[severity]),
      text(String(count)),
    ]),
    empty: { title: '', text: '' },
  };
}

function coverageTable({
  covered,
  runs,
  runEverySeconds,
  at,
}: {
  covered: readonly Coverage[];
  runs: ReadonlyMap<string, Run>;
  runEverySeconds: PageDeps['runEverySeconds'];
  at: Date;
}): TableSection {
  return {
    is: 'table',
    caption: 'What the service’s own lists prove',
    showCaption: true,
    columns: [
      { label: 'Kind' },
      { label: 'State' },
      { label: 'Proven since' },
      { label: 'Proven up to' },
      { label: 'Last run' },
    ],
    rows: covered.map((of) => {
      const problem = unprovenOf(of, runEverySeconds);
      const run = runs.get(of.kind);
      return [
        { is: 'link', text: of.kind, href: `/runs?kind=${of.kind}` },
        problem === null ? badge('proven', 'good') : list([badge('unproven', 'warn'), quiet(problem)]),
        time(of.provenSince),
        time(of.completeUntil, at),
        run === undefined ? none('none yet') : runValue(run),
      ];
    }),
    empty: { title: 'Nothing is read', text: 'Every kind of run is switched off, so nothing is proven.' },
  };
}

function runValue({ status, changed, seen }: Run): Value {
  if (status === 'running') return badge(`running, ${seen} seen`, 'info');
  if (status === 'succeeded') return text(`${seen} seen, ${changed} changed`);
  return badge(status, 'bad');
}
