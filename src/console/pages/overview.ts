import { setTimeout as delay } from 'node:timers/promises';
import { before } from '../../domain/alerts/condition.js';
import { type AlertFacts, toRecover } from '../../domain/alerts/facts.js';
import { isToRecover } from '../../domain/alerts/recover-words.js';
import { counted, duration, minuteOf, words } from '../../domain/in-words.js';
import { balanceWords, isAllProven, provenWords } from '../../domain/state/proven.js';
import { lineOf, type Problem, type State } from '../../domain/state/state.js';
import { DOCTOR, newestResult } from '../../records/actions/list-actions.js';
import type { Figures, KnownState } from '../../records/alerts/load-state.js';
import type { DayMoney, MoneySums } from '../../records/books/day-money.js';
import { rangeButton } from '../actions/recover-deliveries.js';
import { replayDeadCallbacksAction } from '../actions/replay.js';
import type { DoctorResult, Page, PageDeps, PageRequest } from '../page.js';
import { severityBadge } from '../view/break-rows.js';
import { hoursChart, minutesChart, spark } from '../view/chart.js';
import { alertHref } from '../view/links.js';
import {
  type ActionButton,
  beyond,
  type Cell,
  type Column,
  calm,
  notice,
  type Section,
  type Tile,
  table,
} from '../view/sections.js';
import { remedyText, standingWords } from '../view/standing.js';
import {
  ago,
  amount,
  badge,
  count,
  line,
  link,
  list,
  none,
  quiet,
  stack,
  step,
  text,
  type Value,
} from '../view/values.js';
import { doctorWords } from './doctor.js';
import { startButton } from './runs.js';

export const overview: Page = {
  path: '/',
  title: 'Overview',
  group: '',
  live: true,
  load: async (deps, req) => {
    const { db, now, state: known, dayMoney } = deps;
    const at = now();
    const [{ state, facts, alerts, figures }, checks, money] = await Promise.all([
      known(),
      newestResult<DoctorResult>(db, DOCTOR),
      Promise.race([dayMoney(), delay(LONGEST_WAIT_MS, null)]),
    ]);
    const isProven = state.severity === null && isAllProven(facts.kinds);
    const runs = { text: 'What is proven of each kind', href: '/runs' };
    const proven = `${provenWords(facts)}; ${balanceWords(facts)}.${canaryLine(facts.canary, at)}`;
    const doctor = doctorWords(checks, state, at);
    return {
      intro: 'What is to be done now, the worst first; then what is proven, today’s money, and what came in.',
      sections: [
        problemsTable(state, {
          now: at,
          firstOf: (problem, alert) => firstAction({ ...deps, facts }, req, { problem, alert }),
          alertOf: (problem) =>
            [problem, ...problem.follows].flatMap(({ name, subjects }) =>
              alerts.filter((one) => one.name === name && subjects.includes(one.subject) && one.fired_at !== null),
            )[0],
        }),
        { ...notice(isProven ? 'good' : 'quiet', proven, doctor, runs), isBrief: true },
        ...moneySections(money),
        { is: 'tiles', tiles: [receivedTile(figures), backlogTile(facts.backlog), heldTile(figures)] },
        ...calm('the last hour, by the minute', [minutesChart(figures.minutes)]),
      ],
    };
  },
};

/** Three days of many payments take longer: what is to be done is shown meanwhile, and the page is live. */
const LONGEST_WAIT_MS = 40;

type FiringAlert = KnownState['alerts'][number];
type Deps = Pick<PageDeps, 'runKinds' | 'now'> & Pick<KnownState, 'facts'>;

function recoverButton({ facts }: Deps, req: PageRequest): ActionButton | null {
  return toRecover(facts).count > 0 ? rangeButton(req, facts) : null;
}

/** What can be done about a problem from here; where it follows from another, that one comes first. */
const buttons: Readonly<Record<string, (deps: Deps, req: PageRequest, problem: Problem) => ActionButton | null>> = {
  TallyhookMissedDeliveries: recoverButton,
  TallyhookNothingArrives: recoverButton,
  NotHereYet: recoverButton,
  TallyhookDeadCallbacks: (_deps, req) => req.button(replayDeadCallbacksAction),
  KindUnproven: (deps, req, { subjects: [kind] }) => startButton(deps, req, kind),
};

/** Fixed on a machine, or by the service, which no page of the console can do: the runbook says how. */
const BY_RUNBOOK = ['TallyhookDown', 'TallyhookQueueDown', 'Unwatched', 'TallyhookServiceAway'];

/** A button, or the way to where it is done. */
function firstAction(
  deps: Deps,
  req: PageRequest,
  { problem, alert }: { problem: Problem; alert?: FiringAlert | undefined },
): Cell {
  const { name, page, remedy, waitsFor, isWatched } = problem;
  if (remedy === '') return none();
  const make = isToRecover(remedy) ? recoverButton : buttons[name];
  const button = waitsFor === null ? (make?.(deps, req, problem) ?? null) : null;
  if (button !== null) return { is: 'action', button };
  if (!BY_RUNBOOK.includes(name)) return step(wayTo(page), page);
  return alert === undefined
    ? text(isWatched ? 'at the service' : 'at its machine')
    : step('Open the runbook', alertHref(alert.id));
}

const wayTo = (page: string): string => `Go to ${/^\/([a-z]+)/.exec(page)?.[1] ?? 'it'}`;

interface Beside {
  now: Date;
  firstOf: (problem: Problem, alert: FiringAlert | undefined) => Cell;
  /** The alert of it that fires, or of what follows from it. */
  alertOf: (problem: Problem) => FiringAlert | undefined;
}

function problemsTable({ problems, at }: State, { now, firstOf, alertOf }: Beside): Section {
  return table(problems, {
    caption: 'What to do now',
    isMain: true,
    onPhone: 'folded',
    columns: [
      ['What', (problem) => stack([...whatOf(problem), ...standingOf(alertOf(problem), now)]), 'wide'],
      ['How\u00a0many, how\u00a0much', muchOf, 'end'],
      ['Since', ({ seconds }) => sinceOf(seconds, at)],
      ['What to do first', ({ remedy }) => remedyText(remedy), 'remedy'],
      ['Do it', (problem) => firstOf(problem, alertOf(problem))],
    ],
    empty: ['Nothing is to be done', 'Nothing is known to be wrong; what is proven stands below.'],
  });
}

/** Money that another line counts is named there. */
function muchOf({ count: n, money, countedWith }: Problem): Value {
  const own = [...(n === null ? [] : [count(n)]), ...money.map(({ amount: sum, currency }) => amount(sum, currency))];
  const others = countedWith.map((kind) => quiet(`counted with ${words(kind)}`));
  return stack([...own, ...others]);
}

const OVER = badge('over', 'quiet');

function whatOf(problem: Problem): Value[] {
  const { title, detail, page, severity, isOver, follows, waitsFor } = problem;
  const withIt = follows.map((one) => one.title);
  const head = line([isOver ? OVER : severityBadge(severity), text(' '), link(lineOf(problem), page)]);
  return [head, ...(detail === title ? [] : [quiet(detail)]), ...standingWords({ withIt, waitsFor })];
}

/** Its page has the runbook; who is at it, and until when nothing more is sent of it. */
function standingOf(alert: FiringAlert | undefined, now: Date): Value[] {
  if (alert === undefined || alert.isOver) return [];
  const { id, acknowledged_by: by, silenced_until: until } = alert;
  const isSilenced = until !== null && until > now;
  return [
    line([
      link(`alert ${id}: runbook`, alertHref(id)),
      text(' '),
      badge(by === null ? 'nobody is at it' : `${by} is at it`, by === null ? 'warn' : 'info'),
      ...(isSilenced ? [text(' '), badge(`silent until ${minuteOf(until.toISOString())} UTC`, 'info')] : []),
    ]),
  ];
}

const sinceOf = (seconds: number | null, at: Date): Value =>
  seconds === null ? none('not known') : ago(before(at, seconds).toISOString());

const sums: readonly (readonly [label: string, field: keyof MoneySums])[] = [
  ['Received', 'received'],
  ['Released', 'released'],
  ['Waiting for release', 'waiting'],
  ['Given back', 'returned'],
];

/** Assets stand beside each other: what is in two of them is never added up. */
function moneySections(money: DayMoney | null): Section[] {
  if (money === null) return [notice('quiet', 'The money of today is being added up', 'It appears here by itself.')];
  const { assets, hours } = money;
  const compared = table(assets, {
    caption: 'Money that the lists show since 00:00 UTC, beside yesterday and a week ago up to the same time',
    onPhone: 'folded',
    calm: beyond(2),
    columns: [
      ['Asset', ({ assetCode }) => text(assetCode)],
      ...sums.map(([label, field]): Column<DayMoney['assets'][number]> => {
        const before = (day: string, of: MoneySums) => list([quiet(day), amount(of[field])]);
        return [
          label,
          ({ today, yesterday, lastWeek }) =>
            stack([amount(today[field]), before('yesterday', yesterday), before('a week ago', lastWeek)]),
          'end',
        ];
      }),
    ],
    empty: [
      'No money came in today',
      'Nor within the same time of yesterday, or of a week ago, as far as the service’s lists were read.',
    ],
  });
  return assets.length === 0 ? [compared] : [compared, ...calm('today, by the hour', [hoursChart(hours)])];
}

/** By the minute, as a page that is open is not drawn anew for less. */
function canaryLine(canary: AlertFacts['canary'], now: Date): string {
  if (canary === null) return '';
  const { error, secondsAgo } = canary;
  const at = minuteOf(new Date(now.getTime() - secondsAgo * 1_000).toISOString());
  return error === null ? ` The canary came back at ${at} UTC.` : ` The canary of ${at} UTC failed: ${error}.`;
}

/** Of any day, as reported or shown; the money of today is of what the service’s lists show. */
function heldTile({ ordersHeld, ordersReported: reported }: Figures): Tile {
  const unseen = `of any day; ${reported} only by webhooks so far, whose money is not counted above`;
  return {
    label: 'Paid orders held',
    value: String(ordersHeld),
    note: ordersHeld === 0 ? 'every paid order is released' : reported > 0 ? unseen : 'of any day: each says why',
    href: '/orders?goods=paid_held',
    ...(ordersHeld > 0 ? { tone: 'warn' } : {}),
  };
}

function receivedTile({ minutes, received, rejected }: Figures): Tile {
  const perMinute = minutes.map(({ applied, waiting, notApplied }) => applied + waiting + notApplied);
  return {
    label: 'Events in the last hour',
    value: String(received),
    note: rejected === 0 ? 'no request rejected' : counted(rejected, 'request rejected', 'requests rejected'),
    href: rejected === 0 ? '/events' : '/rejections',
    ...(rejected > 0 ? { tone: 'warn' } : {}),
    spark: spark(perMinute, `Events received per minute; the highest is ${Math.max(...perMinute)}.`),
  };
}

function backlogTile({ waiting, failed, dead, oldestSeconds }: AlertFacts['backlog']): Tile {
  const parts = [...(failed > 0 ? [`${failed} tried again`] : []), ...(dead > 0 ? [`${dead} given up`] : [])];
  return {
    label: 'Waiting to be applied',
    value: String(waiting),
    ...(waiting > 0 ? { unit: `oldest ${duration(oldestSeconds)}` } : {}),
    note: parts.length > 0 ? parts.join(', ') : 'nothing failed, nothing given up',
    ...(dead > 0 || oldestSeconds > 120 ? { tone: 'bad' } : {}),
    href: dead > 0 ? '/events?status=dead' : '/events?status=waiting',
  };
}
