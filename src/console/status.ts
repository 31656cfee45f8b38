import { lateSeconds } from '../domain/alerts/condition.js';
import { retiredLast } from '../domain/deliveries/last-secret.js';
import type { Coverage } from '../domain/views/proof-shapes.js';
import { type FailingChannel, failingChannels } from '../records/alerts/alert-channels.js';
import { differingSettings, valuesText } from '../records/alerts/process-settings.js';
import { type CallbackBacklog, callbackBacklog } from '../records/callbacks/list-callbacks.js';
import { countMissed } from '../records/deliveries/list-deliveries.js';
import { retiredLabels } from '../records/deliveries/secrets.js';
import { countOpenBreaks, heldByRefund } from '../records/gauges.js';
import { inboxBacklog } from '../records/inbox/inbox-work.js';
import { type ProcessHeartbeat, processHeartbeats } from '../records/process-heartbeats.js';
import { coverage } from '../records/runs/coverage.js';
import { lostCalls } from '../records/service-writes.js';
import type { PageDeps } from './page-deps.js';
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
  const since = `since ${of.completeUntil.slice(0, 16).replace('T', ' ')}`;
  if (of.reason !== null) return `unproven ${since}: ${of.reason}`;
  if (every === undefined) return `unproven ${since}: its runs are switched off`;
  const age = of.ageSeconds ?? Number.POSITIVE_INFINITY;
  return age > limitOf(every) ? `unproven ${since}: no run for ${duration(age)}` : null;
}

/** Two runs may be left out before it is said. */
function limitOf(everySeconds: number): number {
  return Math.max(3 * everySeconds, everySeconds + 600);
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
  const [covered, breaks, missed, backlog, callbacks, failing, heartbeats, lost, held, settings, secrets] =
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
    ]);
  const items = [
    ...secrets,
    ...breakItems(breaks),
    ...missedItems(missed),
    ...eventItems(backlog),
    ...outgoingItems(callbacks, failing),
    ...refundItems(lost, held),
    ...settings.map((found): Items[number] => {
      return { tone: 'bad', text: `${found.setting} differs: ${valuesText(found)}`, href: '/doctor' };
    }),
    ...silentItems(heartbeats),
    ...unprovenItems(covered, runEverySeconds),
  ];
  if (items.length === 0) items.push(allProven(covered));
  const worst = (['bad', 'warn', 'good'] as const).find((tone) => items.some((item) => item.tone === tone));
  return { tone: worst ?? 'warn', items };
}

type Items = Status['items'];

/** The evidence of all secrets is read only where one was retired. */
async function secretItems({ db, log, secretsStatus }: StatusDeps): Promise<Items> {
  if ((await retiredLabels(db)).length === 0) return [];
  try {
    if (retiredLast((await secretsStatus()).items) === null) return [];
    return [{ tone: 'bad', text: 'Every secret is retired: no webhook is accepted', href: '/secrets' }];
  } catch (error) {
    log.warn({ err: error }, 'secrets not read');
    return [{ tone: 'warn', text: 'The secrets could not be read', href: '/secrets' }];
  }
}

function breakItems(breaks: Awaited<ReturnType<typeof countOpenBreaks>>): Items {
  const total = breaks.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const grave = breaks.some(({ severity }) => severity === 'critical' || severity === 'high');
  return [{ tone: grave ? 'bad' : 'warn', text: `${counted(total, 'break')} open`, href: '/breaks?status=open' }];
}

function missedItems(missed: number | null): Items {
  if (missed === null)
    return [{ tone: 'warn', text: 'Missed deliveries not measured yet', href: '/runs?kind=deliveries' }];
  if (missed === 0) return [];
  return [
    { tone: 'bad', text: counted(missed, 'missed delivery', 'missed deliveries'), href: '/deliveries?show=missed' },
  ];
}

function eventItems({ failed, dead, oldestSeconds }: Awaited<ReturnType<typeof inboxBacklog>>): Items {
  const items: Items = [];
  if (dead > 0) items.push({ tone: 'bad', text: `${counted(dead, 'event')} given up`, href: '/events?status=dead' });
  if (failed > 0)
    items.push({ tone: 'warn', text: `${counted(failed, 'event')} tried again`, href: '/events?status=failed' });
  if (oldestSeconds > lateSeconds.event) {
    const text = `Events wait for ${duration(oldestSeconds)}`;
    items.push({ tone: 'bad', text, href: '/events?status=received' });
  }
  return items;
}

/** What is not sent to the store, and to people. */
function outgoingItems({ dead }: CallbackBacklog, failing: FailingChannel[]): Items {
  const items: Items = [];
  if (dead > 0)
    items.push({ tone: 'bad', text: `${counted(dead, 'callback')} given up`, href: '/callbacks?status=dead' });
  for (const { channel, failingSeconds } of failing)
    items.push({ tone: 'warn', text: `Alerts by ${channel} fail for ${duration(failingSeconds)}`, href: '/alerts' });
  return items;
}

/** What only a person can settle. */
function refundItems(lost: Awaited<ReturnType<typeof lostCalls>>, held: number): Items {
  const items: Items = lost.map(({ operation, count }) => {
    return { tone: 'bad', text: `${count} ${operation} without an outcome`, href: '/doctor' };
  });
  if (held > 0)
    items.push({ tone: 'warn', text: `${counted(held, 'order')} held by a refund`, href: '/orders?status=paid' });
  return items;
}

function silentItems(heartbeats: readonly ProcessHeartbeat[]): Items {
  return [...queueItems(heartbeats), ...partItems(heartbeats.filter(({ part }) => part !== 'queue'))];
}

/** Each check for alerts asks the queue: where nobody checks, nobody knows. */
function queueItems(heartbeats: readonly ProcessHeartbeat[]): Items {
  const ago = (name: ProcessHeartbeat['part']) => heartbeats.find(({ part }) => part === name)?.secondsAgo ?? 0;
  const silent = ago('queue') - ago('alerts');
  if (silent <= lateSeconds.queue) return [];
  const text = `The queue does not answer for ${duration(silent)}: webhooks are applied later, none is lost`;
  return [{ tone: 'warn', text, href: '/queues' }];
}

function partItems(heartbeats: readonly ProcessHeartbeat[]): Items {
  return heartbeats
    .filter(({ secondsAgo }) => secondsAgo > lateSeconds.heartbeat)
    .map(({ part, secondsAgo }) => {
      const what = part === 'alerts' ? 'Nobody has checked for alerts' : `No ${part} at work`;
      return { tone: 'bad', text: `${what} for ${duration(secondsAgo)}`, href: '/alerts' };
    });
}

function unprovenItems(covered: Coverage[], runEverySeconds: PageDeps['runEverySeconds']): Items {
  const unproven = covered.filter((of) => unprovenOf(of, runEverySeconds) !== null);
  if (unproven.length === 0) return [];
  const names = unproven.map(({ kind }) => kind);
  const never = unproven.some(({ completeUntil }) => completeUntil === null);
  const oldest = unproven.map(({ completeUntil }) => completeUntil ?? '').sort()[0] ?? '';
  const since = never ? '' : ` since ${oldest.slice(0, 16).replace('T', ' ')}`;
  const kinds = names.length > 3 ? `${names.length} of ${covered.length} kinds` : names.join(', ');
  const [only] = names;
  const href = names.length === 1 && only !== undefined ? `/runs?kind=${encodeURIComponent(only)}` : '/runs';
  return [{ tone: 'warn', text: `Unproven${since}: ${kinds}`, href }];
}

function allProven(covered: Coverage[]): Items[number] {
  const oldest = covered.map(({ completeUntil }) => completeUntil ?? '').sort()[0];
  if (oldest === undefined) return { tone: 'warn', text: 'Nothing is read, so nothing is proven', href: '/runs' };
  return { tone: 'good', text: `All proven up to ${oldest.slice(0, 16).replace('T', ' ')} UTC`, href: '/runs' };
}
