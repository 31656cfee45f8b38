import { NONE_ACCEPTED, retiredLast } from '../../domain/deliveries/last-secret.js';
import type { Coverage, Run } from '../../domain/views/proof-shapes.js';
import { countMissed } from '../../records/deliveries/list-deliveries.js';
import { countCompletedPayments, countOpenBreaks, type OpenBreaks, type PaymentCounts } from '../../records/gauges.js';
import { type Backlog, inboxBacklog } from '../../records/inbox/inbox-work.js';
import { type MinuteCount, minuteCounts } from '../../records/inbox/minute-counts.js';
import { coverage } from '../../records/runs/coverage.js';
import { listRuns } from '../../records/runs/runs.js';
import { mayDo } from '../authenticate.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { unprovenOf } from '../status.js';
import { severities, severityBadge } from '../view/break-rows.js';
import { minutesChart, spark } from '../view/chart.js';
import { type Section, type Tile, table } from '../view/sections.js';
import {
  ago,
  badge,
  counted,
  duration,
  link,
  list,
  none,
  quiet,
  text,
  time,
  type Value,
  words,
} from '../view/values.js';
import { secrets as secretsPage } from './secrets.js';

const MINUTES = 60;

export const overview: Page = {
  path: '/',
  title: 'Overview',
  group: '',
  live: true,
  load: async (deps, req) => {
    const { db, runKinds, now } = deps;
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
            await secretsTile(deps, req),
          ],
        },
        minutesChart(minutes),
        ...(breaks.length === 0 ? [] : [breaksTable(breaks)]),
        coverageTable(covered, runs, deps),
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
  const parts = [...(failed > 0 ? [`${failed} tried again`] : []), ...(dead > 0 ? [`${dead} given up`] : [])];
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

function missedTile(missed: number | null): Tile {
  const label = 'Missed deliveries';
  if (missed === null) {
    const note = 'no complete scan of the history yet';
    return { label, value: 'unknown', note, tone: 'warn', href: '/runs?kind=deliveries' };
  }
  return {
    label,
    value: String(missed),
    note: missed === 0 ? 'none, as far as the history was read' : 'sent by the service, not here',
    tone: missed > 0 ? 'bad' : 'quiet',
    href: '/deliveries?show=missed',
  };
}

function breaksTile(breaks: readonly OpenBreaks[]): Tile {
  const of = (wanted: string) =>
    breaks.reduce((sum, { severity, count }) => sum + (severity === wanted ? count : 0), 0);
  const total = breaks.reduce((sum, { count }) => sum + count, 0);
  const parts = severities.flatMap((severity) => (of(severity) > 0 ? [`${of(severity)} ${severity}`] : []));
  const grave = of('critical') + of('high') > 0;
  return {
    label: 'Open breaks',
    value: String(total),
    note: total === 0 ? 'none known; what is unproven is shown above' : parts.join(', '),
    tone: total === 0 ? 'quiet' : grave ? 'bad' : 'warn',
    href: '/breaks?status=open',
  };
}

/** How the secrets are doing. */
async function secretsTile({ secretsStatus, log }: PageDeps, { actor }: PageRequest): Promise<Tile> {
  const label = 'Signing secrets';
  try {
    const { items } = await secretsStatus();
    const live = items.filter(({ retiredAt }) => retiredAt === null);
    const used = live.filter(({ matches24h }) => matches24h > 0).length;
    const noneAccepted = retiredLast(items) !== null;
    return {
      label,
      value: String(live.length),
      note: noneAccepted ? NONE_ACCEPTED : `${used} matched in the last 24 h`,
      ...(mayDo(actor, secretsPage.roles ?? []) ? { href: secretsPage.path } : {}),
      ...(noneAccepted ? { tone: 'bad' } : used === 0 ? { tone: 'warn' } : {}),
    };
  } catch (error) {
    log.warn({ err: error }, 'secrets not read');
    return { label, value: 'unknown', note: 'could not be read', tone: 'warn' };
  }
}

function breaksTable(breaks: readonly OpenBreaks[]): Section {
  const rank = ({ severity }: OpenBreaks) => severities.indexOf(severity);
  const sorted = [...breaks].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
  return table(sorted, {
    caption: 'Open breaks by kind',
    columns: [
      ['Kind', ({ kind }) => link(words(kind), `/breaks?kind=${encodeURIComponent(kind)}&status=open`)],
      ['Severity', ({ severity }) => severityBadge(severity)],
      ['Open', ({ count }) => text(String(count)), 'end'],
    ],
  });
}

function coverageTable(
  covered: readonly Coverage[],
  runs: ReadonlyMap<string, Run>,
  { runEverySeconds }: PageDeps,
): Section {
  return table(covered, {
    caption: 'What the service’s own lists prove',
    columns: [
      ['Kind', ({ kind }) => link(kind, `/runs?kind=${kind}`)],
      [
        'State',
        (of) => {
          const problem = unprovenOf(of, runEverySeconds);
          return problem === null ? badge('proven', 'good') : list([badge('unproven', 'warn'), quiet(problem)]);
        },
      ],
      ['Proven since', ({ provenSince }) => time(provenSince)],
      ['Proven up to', ({ completeUntil }) => ago(completeUntil)],
      ['Last run', ({ kind }) => runValue(runs.get(kind))],
    ],
    empty: ['Nothing is read', 'Every kind of run is switched off, so nothing is proven.'],
  });
}

function runValue(run: Run | undefined): Value {
  if (run === undefined) return none('none yet');
  const { status, changed, seen } = run;
  if (status === 'running') return badge(`running, ${seen} seen`, 'info');
  return status === 'succeeded' ? text(`${seen} seen, ${changed} changed`) : badge(status, 'bad');
}
