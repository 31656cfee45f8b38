import { conditions, type FoundAlert, remedyOf, subjectWords } from '../alerts/alerts.js';
import { type AlertSeverity, type Found, lateSeconds, type Watched } from '../alerts/condition.js';
import type { AlertFacts } from '../alerts/facts.js';
import { asksService, asOfNow, hindranceOf } from '../alerts/outage-words.js';
import { overDetail, remainingAlerts } from '../alerts/over-words.js';
import { type Severity, severities } from '../breaks/findings.js';
import type { Money } from '../family/money.js';
import { grouped } from '../grouped.js';
import { named } from '../in-words.js';
import { sumAmounts } from '../money.js';
import { causeOf, type Single } from './causes.js';
import { notices } from './notices.js';

/** Something that is wrong, with what follows from it; of those of which the same is said, one. */
export interface Problem {
  name: string;
  /** What each of them is about; '' where there is one alone. */
  subjects: readonly string[];
  /** Of itself and of what follows from it, the worst; of what is over, `low`. */
  severity: Severity;
  /** Nobody sees it any more; its alert ends within minutes. */
  isOver: boolean;
  /** What it is, in a line. */
  title: string;
  detail: string;
  /** What to do first; empty: nothing is to be done. */
  remedy: string;
  /** Where it is seen, and acted upon. */
  page: string;
  /** Nobody fixes it here: what is to be done is to watch it. */
  isWatched: boolean;
  /** As the doctor calls it. */
  checks: readonly string[];
  /** All there are; null: it is not counted. */
  count: number | null;
  /** Since its alert's `since`, where there is one, else the oldest of them; where that is not known, of what follows from it; null: not known. */
  seconds: number | null;
  /** A sum for each asset; each money is in one problem alone. */
  money: readonly Money[];
  /** Kinds of breaks of another problem, where money is counted that this is about too. */
  countedWith: readonly string[];
  worth: number;
  follows: readonly Problem[];
  /** The title of what keeps its remedy from working; null: nothing does. */
  waitsFor: string | null;
}

/** How the whole is: what the status line, the overview, the doctor, alerts and `tallyhook status` say alike. */
export interface State {
  /** Null: nothing is known to be wrong, or all that was is over. */
  severity: Severity | null;
  /** Of when all of it is. */
  at: Date;
  /** Worst first, what is over last; each cause before what follows from it. */
  problems: readonly Problem[];
}

/** An alert that is not over. */
export interface OpenAlert extends FoundAlert {
  since: Date;
  /** When somebody who checks saw it last. */
  seenAt: Date;
  /** Else it has not held for long enough to be sent. */
  isFiring: boolean;
}

const ofAlert: Readonly<Record<AlertSeverity, Severity>> = { critical: 'critical', warning: 'medium' };
const watched: readonly (Watched & { severity: Severity })[] = [
  ...conditions.map((one) => ({ ...one, severity: ofAlert[one.severity] })),
  ...Object.entries(notices).map(([name, one]) => ({ name, ...one })),
];
/** What can be found: the names of the doctor's checks, those that go by their subject left out. */
export const stateChecks: readonly string[] = [...new Set(watched.flatMap(({ check }) => check ?? []))];

/** All that the facts show, and what fires though they do not show it any more, or nobody checks. */
export function stateOf(facts: AlertFacts, alerts: readonly OpenAlert[], now: Date): State {
  const ageOf = (alert: OpenAlert) => Math.max(0, (now.getTime() - alert.since.getTime()) / 1_000);
  const shown = watched.flatMap((one) => one.found(facts).map((each) => singleOf(one, each, facts)));
  const firing = alerts.filter((alert) => alert.isFiring && !shown.some((one) => isSame(one, alert)));
  const remaining = remainingAlerts(facts)
    .filter((one) => firing.some((alert) => isSame(one, alert)))
    .map((one) => ({ ...singleOfAlert(one, false), count: one.count }));
  const found: Single[] = [...shown, ...remaining];
  const others = firing.filter((alert) => !remaining.some((one) => isSame(one, alert)));
  const all = [
    ...found.map((one) => {
      const alert = alerts.find((other) => isSame(one, other));
      return alert === undefined ? one : { ...one, seconds: ageOf(alert) };
    }),
    ...others.map((alert) => {
      const one = singleOfAlert(alert, isOver(alert, facts, now));
      return { ...one, remedy: asOfNow(one.remedy, facts), seconds: ageOf(alert) };
    }),
  ];
  const hindrance = hindranceOf(facts);
  const keeper = all.find(({ name }) => name === hindrance?.name);
  const byHead = grouped(all, (one) => headOf(one, { all, facts }));
  const problems = [...grouped([...byHead], ([head]) => likenessOf(head)).values()].map((alike) =>
    problemOf(alike, keeper),
  );
  const waits = problems.some(({ waitsFor }) => waitsFor !== null);
  const keeps = (problem: Problem) => waits && keeper !== undefined && isAbout(problem, keeper);
  const sorted = problems.toSorted(
    (a, b) => bySeverity(a, b) || Number(keeps(b)) - Number(keeps(a)) || worstFirst(a, b),
  );
  return { severity: sorted.find((problem) => !problem.isOver)?.severity ?? null, at: now, problems: sorted };
}

type Named = Pick<FoundAlert, 'name' | 'subject'>;

const isSame = (one: Named, other: Named): boolean => one.name === other.name && one.subject === other.subject;

const isIn = ({ name, subjects }: Problem, one: Named): boolean =>
  subjects.some((subject) => isSame(one, { name, subject }));

const isAbout = (problem: Problem, one: Named): boolean =>
  [problem, ...problem.follows].some((each) => isIn(each, one));

/** Alerts in the order of the problems that they are, or that they follow from; what is no problem stands last. */
export function inOrder<Alert extends Named>({ problems }: State, alerts: readonly Alert[]): Alert[] {
  const all = problems.flatMap((head) => [head, ...head.follows]);
  const placeOf = (alert: Alert) => all.findIndex((one) => isIn(one, alert)) >>> 0;
  return alerts.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** What an alert follows from, what follows from it, and what keeps its remedy from working, each by its title. */
export interface Standing {
  followsFrom: string | null;
  withIt: readonly string[];
  waitsFor: string | null;
}

/** `cause`: the problem that an alert follows from; null: it is one itself, or none. */
export function standingIn({ problems }: State, alert: Named): Standing & { cause: Problem | null } {
  const head = problems.find((problem) => isAbout(problem, alert));
  const own = head === undefined ? undefined : [head, ...head.follows].find((one) => isIn(one, alert));
  const cause = head === undefined || head === own ? null : head;
  return {
    cause,
    followsFrom: cause?.title ?? null,
    withIt: own?.follows.map(({ title }) => title) ?? [],
    waitsFor: own?.waitsFor ?? null,
  };
}

/** Whether somebody is to do something. */
export const needsPerson = ({ problems }: State): boolean => problems.some(({ remedy }) => remedy !== '');

/** In a line: what it is, how many, and what is not seen of it. */
export function lineOf({ title, count, subjects }: Problem): string {
  return count === null || /\d/.test(title) || subjects.length > 1 ? title : `${title}: ${count}`;
}

function worst(given: readonly Severity[]): Severity | null {
  return severities.find((severity) => given.includes(severity)) ?? null;
}

function singleOf(one: (typeof watched)[number], found: Found, facts: AlertFacts): Single {
  const { name, summary, page, isWatched } = one;
  const { subject = '', severity: own = one.severity } = found;
  const isAlert = !(name in notices);
  return {
    ...found,
    name,
    subject,
    summary,
    // Nothing is less than the alert about it.
    severity: isAlert ? (worst([one.severity, own]) ?? own) : own,
    remedy: asOfNow(
      isAlert ? remedyOf({ name, subject, remedy: found.remedy ?? null }) : (found.remedy ?? one.remedy),
      facts,
    ),
    page,
    isWatched,
    check: found.check ?? one.check ?? subject,
  };
}

/** Longer than from one check to the next. */
const GONE_SECONDS = 45;

/** Whoever checks does not see it any more either: it is over, and ends once it has been so for some time. */
export function isOver(
  { name, seenAt }: Pick<OpenAlert, 'name' | 'seenAt'>,
  { parts, serviceBack }: Pick<AlertFacts, 'parts' | 'serviceBack'>,
  now: Date,
): boolean {
  if (name === 'TallyhookServiceAway' && serviceBack !== null) return true;
  const isChecked = parts.some(({ part, secondsAgo }) => part === 'alerts' && secondsAgo <= lateSeconds.heartbeat);
  return isChecked && now.getTime() - seenAt.getTime() > GONE_SECONDS * 1_000;
}

function singleOfAlert({ name, subject, severity, summary, detail, remedy = null }: FoundAlert, over: boolean): Single {
  const known = watched.find((one) => one.name === name);
  return {
    name,
    subject,
    // What was seen last may say itself that it was so.
    summary: over ? `Not any more: ${known?.summary ?? summary}` : summary,
    detail: over ? overDetail(detail) : detail,
    severity: over ? 'low' : ofAlert[severity],
    isOver: over,
    remedy: over ? '' : remedyOf({ name, subject, remedy }),
    page: known?.page ?? '/alerts',
    isWatched: known?.isWatched,
    check: known?.check ?? (subject === '' ? name : subject),
  };
}

/** What it follows from in the end; itself where it follows from nothing. */
function headOf(one: Single, known: { all: readonly Single[]; facts: AlertFacts }): Single {
  const cause = causeOf(one, known);
  return cause === null ? one : headOf(cause, known);
}

const likenessOf = ({ name, severity, remedy, isOver }: Single): string =>
  JSON.stringify([name, severity, remedy, isOver === true]);

/** Of heads of which the same is said, each with itself and what follows from it. `keeper`: what keeps the service from being asked. */
function problemOf(alike: readonly (readonly [Single, readonly Single[]])[], keeper?: Single): Problem {
  const heads = alike.map(([head]) => head);
  const followers = alike.flatMap(([head, of]) => of.filter((one) => one !== head));
  const follows = [...grouped(followers, likenessOf).values()].map((some) =>
    problemOf(
      some.map((one) => [one, [one]]),
      keeper,
    ),
  );
  const [first] = heads as [Single, ...Single[]];
  const subjects = heads.map(({ subject }) => subject);
  const isKeeper = alike.some(([, of]) => of.some((one) => one === keeper));
  const counts = heads.flatMap(({ count }) => count ?? []);
  const seconds = heads.flatMap((one) => one.seconds ?? []);
  const oldest = seconds.length > 0 ? seconds : follows.flatMap((one) => one.seconds ?? []);
  return {
    name: first.name,
    subjects,
    severity: worst([first.severity, ...follows.map(({ severity }) => severity)]) ?? first.severity,
    isOver: first.isOver === true,
    title: titleOf(heads),
    detail: heads.map(({ detail }) => detail).join(' '),
    remedy: first.remedy,
    page: first.page.endsWith('=') ? pageOf(first.page, subjects) : first.page,
    isWatched: first.isWatched === true,
    checks: [...new Set(heads.flatMap(({ check, alsoChecks = [] }) => [check, ...alsoChecks]))],
    count: counts.length === 0 ? null : counts.reduce((sum, n) => sum + n, 0),
    seconds: oldest.length === 0 ? null : Math.max(...oldest),
    money: sumsOf(heads.flatMap(({ money }) => money ?? [])),
    countedWith: [...new Set(heads.flatMap(({ countedWith = [] }) => countedWith))].filter(
      (kind) => !subjects.includes(kind),
    ),
    worth: heads.reduce((sum, { worth = 0 }) => sum + worth, 0),
    follows: follows.toSorted((a, b) => bySeverity(a, b) || worstFirst(a, b)),
    waitsFor: keeper !== undefined && !isKeeper && asksService(first.remedy) ? titleOf([keeper]) : null,
  };
}

function titleOf(heads: readonly Single[]): string {
  const [first] = heads as [Single, ...Single[]];
  if (first.title !== undefined && heads.length === 1) return first.title;
  const subjects = heads.map(({ subject }) => subjectWords(subject)).filter((subject) => subject !== '');
  return subjects.length === 0 ? first.summary : `${first.summary}: ${named(subjects)}`;
}

/** Narrowed to the one; of several, all that it shows. */
function pageOf(page: string, [subject = '', ...more]: readonly string[]): string {
  return more.length === 0 ? `${page}${encodeURIComponent(subject)}` : page.replace(/[?&][^?&]+=$/, '');
}

function sumsOf(money: readonly Money[]): Money[] {
  return [...grouped(money, ({ currency }) => currency)].map(([currency, some]) => {
    return { currency, amount: sumAmounts(some.map(({ amount }) => amount)) };
  });
}

/** What is over last. */
function bySeverity(a: Problem, b: Problem): number {
  return Number(a.isOver) - Number(b.isOver) || severities.indexOf(a.severity) - severities.indexOf(b.severity);
}

/** Of what is as grave: where something is to be done, then the most money, then the oldest. */
function worstFirst(a: Problem, b: Problem): number {
  const byRemedy = Number(a.remedy === '') - Number(b.remedy === '');
  return byRemedy || b.worth - a.worth || (b.seconds ?? 0) - (a.seconds ?? 0);
}
