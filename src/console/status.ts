import { lateSeconds } from '../domain/alerts/condition.js';
import { retiredLast } from '../domain/deliveries/last-secret.js';
import type { Coverage } from '../domain/views/proof-shapes.js';
import { failingChannels } from '../records/alerts/alert-channels.js';
import { differingSettings, valuesText } from '../records/alerts/process-settings.js';
import { type AlertRow, openAlerts } from '../records/alerts/settle-alerts.js';
import { callbackBacklog } from '../records/callbacks/list-callbacks.js';
import { countMissed } from '../records/deliveries/list-deliveries.js';
import { retiredLabels } from '../records/deliveries/secrets.js';
import { countOpenBreaks, heldByRefund } from '../records/gauges.js';
import { inboxBacklog } from '../records/inbox/inbox-work.js';
import { type ProcessHeartbeat, processHeartbeats } from '../records/process-heartbeats.js';
import { coverage } from '../records/runs/coverage.js';
import { lostCalls } from '../records/service-writes.js';
import type { PageDeps } from './page.js';
import { counted, duration } from './view/values.js';

/** What every page says of the whole: never that all is well where something is unproven or not known. */
export interface Status {
  tone: 'good' | 'warn' | 'bad';
  items: { tone: 'good' | 'warn' | 'bad'; text: string; href: string }[];
}

type StatusDeps = Pick<PageDeps, 'db' | 'log' | 'now' | 'runKinds' | 'runEverySeconds' | 'secretsStatus'>;

/** What is not proven of a kind now, in words; null: it is proven, and lately. */
export function unprovenOf(of: Coverage, runEverySeconds: PageDeps['runEverySeconds']): string | null {
  const every = runEverySeconds[of.kind];
  if (of.completeUntil === null) return `never proven: ${of.reason ?? 'no complete run yet'}`;
  const since = `since ${minuteOf(of.completeUntil)}`;
  if (of.reason !== null) return `unproven ${since}: ${of.reason}`;
  if (every === undefined) return `unproven ${since}: its runs are switched off`;
  const age = of.ageSeconds ?? Number.POSITIVE_INFINITY;
  // Two runs may be left out before it is said.
  const limit = Math.max(3 * every, every + 600);
  return age > limit ? `unproven ${since}: no run for ${duration(age)}` : null;
}

const FRESH_MS = 2_000;

/** One question of the database for all pages of two seconds. What can't be asked is shown as unknown. */
export function createStatus(deps: StatusDeps): () => Promise<Status> {
  let answer: Promise<Status> | null = null;
  let staleAt = 0;
  return () => {
    if (answer === null || performance.now() >= staleAt) {
      answer = readStatus(deps).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'status not read');
        return unknown;
      });
      staleAt = performance.now() + FRESH_MS;
    }
    return answer;
  };
}

const unknown: Status = {
  tone: 'bad',
  items: [{ tone: 'bad', text: 'State unknown: the database can not be asked', href: '/' }],
};

async function readStatus(deps: StatusDeps): Promise<Status> {
  const { db, runKinds, runEverySeconds, now } = deps;
  const [covered, breaks, missed, backlog, callbacks, failing, heartbeats, lost, held, settings, secrets, alerts] =
    await Promise.all([
      coverage(db, runKinds, now()),
      countOpenBreaks(db),
      countMissed(db),
      inboxBacklog(db),
      callbackBacklog(db),
      failingChannels(db),
      processHeartbeats(db),
      lostCalls(db),
      heldByRefund(db),
      differingSettings(db),
      secretItems(deps),
      openAlerts(db),
    ]);
  const isLate = backlog.oldestSeconds > lateSeconds.event;
  const items = [
    ...secrets,
    ...alertItems(alerts),
    ...breakItems(breaks),
    ...missedItems(missed),
    ...when(backlog.dead > 0, 'bad', `${counted(backlog.dead, 'event')} given up`, '/events?status=dead'),
    ...when(backlog.failed > 0, 'warn', `${counted(backlog.failed, 'event')} tried again`, '/events?status=failed'),
    ...when(isLate, 'bad', `Events wait for ${duration(backlog.oldestSeconds)}`, '/events?status=received'),
    ...when(callbacks.dead > 0, 'bad', `${counted(callbacks.dead, 'callback')} given up`, '/callbacks?status=dead'),
    ...failing.map(({ channel, failingSeconds }) =>
      item('warn', `Alerts by ${channel} fail for ${duration(failingSeconds)}`, '/alerts'),
    ),
    ...lost.map(({ operation, count }) => item('bad', `${count} ${operation} without an outcome`, '/doctor')),
    ...when(held > 0, 'warn', `${counted(held, 'order')} held by a refund`, '/orders?status=paid'),
    ...settings.map((found) => item('bad', `${found.setting} differs: ${valuesText(found)}`, '/doctor')),
    ...silentItems(heartbeats),
    ...unprovenItems(covered, runEverySeconds),
  ];
  if (items.length === 0) items.push(allProven(covered));
  const worst = (['bad', 'warn', 'good'] as const).find((tone) => items.some((item) => item.tone === tone));
  return { tone: worst ?? 'warn', items };
}

type Item = Status['items'][number];

const item = (tone: Item['tone'], text: string, href: string): Item => ({ tone, text, href });
const when = (holds: boolean, ...of: Parameters<typeof item>): Item[] => (holds ? [item(...of)] : []);

/** The evidence of all secrets is read only where one was retired. */
async function secretItems({ db, log, secretsStatus }: StatusDeps): Promise<Item[]> {
  if ((await retiredLabels(db)).length === 0) return [];
  try {
    const isLast = retiredLast((await secretsStatus()).items) !== null;
    return when(isLast, 'bad', 'Every secret is retired: no webhook is accepted', '/secrets');
  } catch (error) {
    log.warn({ err: error }, 'secrets not read');
    return [item('warn', 'The secrets could not be read', '/secrets')];
  }
}

const MOST_NAMED = 2;

/** Whatever else is said here: what fires is never green. */
function alertItems(open: readonly AlertRow[]): Item[] {
  const firing = open.filter(({ fired_at }) => fired_at !== null);
  const isCritical = ({ severity }: AlertRow): boolean => severity === 'critical';
  const summaries = [
    ...new Set(firing.toSorted((a, b) => +isCritical(b) - +isCritical(a)).map(({ summary }) => summary)),
  ];
  const named = summaries.slice(0, MOST_NAMED).join('; ');
  const more = summaries.length > MOST_NAMED ? ' …' : '';
  const text = `${counted(firing.length, 'alert')} firing: ${named}${more}`;
  return when(firing.length > 0, firing.some(isCritical) ? 'bad' : 'warn', text, '/alerts');
}

function breakItems(breaks: Awaited<ReturnType<typeof countOpenBreaks>>): Item[] {
  const total = breaks.reduce((sum, { count }) => sum + count, 0);
  const grave = breaks.some(({ severity }) => severity === 'critical' || severity === 'high');
  return when(total > 0, grave ? 'bad' : 'warn', `${counted(total, 'break')} open`, '/breaks?status=open');
}

function missedItems(missed: number | null): Item[] {
  if (missed === null) return [item('warn', 'Missed deliveries not measured yet', '/runs?kind=deliveries')];
  return when(missed > 0, 'bad', counted(missed, 'missed delivery', 'missed deliveries'), '/deliveries?show=missed');
}

function silentItems(heartbeats: readonly ProcessHeartbeat[]): Item[] {
  const ago = (name: ProcessHeartbeat['part']) => heartbeats.find(({ part }) => part === name)?.secondsAgo ?? 0;
  // Each check for alerts asks the queue: where nobody checks, nobody knows.
  const silent = ago('queue') - ago('alerts');
  const queue = `The queue does not answer for ${duration(silent)}: webhooks are applied later, none is lost`;
  const late = heartbeats.filter(({ part, secondsAgo }) => part !== 'queue' && secondsAgo > lateSeconds.heartbeat);
  return [
    ...when(silent > lateSeconds.queue, 'warn', queue, '/queues'),
    ...late.map(({ part, secondsAgo }) => {
      const what = part === 'alerts' ? 'Nobody has checked for alerts' : `No ${part} at work`;
      return item('bad', `${what} for ${duration(secondsAgo)}`, '/alerts');
    }),
  ];
}

function unprovenItems(covered: Coverage[], runEverySeconds: PageDeps['runEverySeconds']): Item[] {
  const unproven = covered.filter((of) => unprovenOf(of, runEverySeconds) !== null);
  const [first] = unproven;
  if (first === undefined) return [];
  const oldest = oldestOf(unproven);
  const since = oldest === '' ? '' : ` since ${oldest}`;
  const kinds = unproven.map(({ kind }) => kind).join(', ');
  const href = unproven.length === 1 ? `/runs?kind=${encodeURIComponent(first.kind)}` : '/runs';
  const which = unproven.length > 3 ? `${unproven.length} of ${covered.length} kinds` : kinds;
  return [item('warn', `Unproven${since}: ${which}`, href)];
}

function allProven(covered: Coverage[]): Item {
  if (covered.length === 0) return item('warn', 'Nothing is read, so nothing is proven', '/runs');
  return item('good', `All proven up to ${oldestOf(covered)} UTC`, '/runs');
}

/** Up to when all of these are proven; empty where one never was. */
function oldestOf(covered: readonly Coverage[]): string {
  return minuteOf(covered.map(({ completeUntil }) => completeUntil ?? '').sort()[0] ?? '');
}

const minuteOf = (at: string): string => at.slice(0, 16).replace('T', ' ');
