import { canaryWords, type Outage } from '../../domain/alerts/facts.js';
import { hindranceOf } from '../../domain/alerts/outage-words.js';
import { counted } from '../../domain/in-words.js';
import { runKinds } from '../../domain/run-kinds.js';
import { unprovenText } from '../../domain/state/notices.js';
import { type Problem, type State, stateChecks, stateOf } from '../../domain/state/state.js';
import { type ChannelView, channelViews } from '../../records/alerts/alert-channels.js';
import { type KnownState, loadState } from '../../records/alerts/load-state.js';
import { matchBehind } from '../../records/books/match/match-progress.js';
import type { Contract } from '../../service-api/contract.js';
import { runEverySeconds } from '../crons.js';
import { channelsOf } from '../outbound.js';
import type { Runtime } from '../runtime.js';
import { createServiceClient } from '../service-client.js';
import { type Check, type DoctorParts, finding, hint, ok, unknown } from './check.js';
import {
  checkConnections,
  checkDatabase,
  checkQueue,
  checkRegistration,
  checkRetention,
  checkSealing,
  checkSecrets,
} from './check-installation.js';
import { checkEndpoint, checkService } from './check-service.js';
import { type ContractProbed, probeContract } from './probe-contract.js';

/** What `doctor --json` prints: more fields may come, these stay. */
export interface Diagnosis extends Omit<ContractProbed, 'checks'> {
  items: Check[];
}

/** The database first: without it the others can’t be asked. The names last: without the service they is not known. */
export async function examine(parts: DoctorParts): Promise<Diagnosis> {
  const nothing = { suggestedContract: null, suggestedEventIdPointer: null };
  const database = await checkDatabase(parts);
  if (database.some(({ name, status }) => name === 'database' && status === 'finding'))
    return { items: database, ...nothing };
  const { checks: service, unreached, outage } = await checkService(parts);
  const items = [...database, ...service, checkKey(parts.config.SERVICE_API_KEY ?? '', parts.now())];
  items.push(...(await (unreached === null ? checkEndpoint(parts) : unaskedOf(parts, unreached))));
  for (const check of [
    checkConnections,
    checkSecrets,
    checkQueue,
    checkChannels,
    checkRegistration,
    checkRetention,
    checkSealing,
    checkMatching,
  ])
    items.push(...(await check(parts)));
  const known = await withState(parts, items, outage);
  if (unreached !== null) return { items: known, ...nothing };
  const { checks, ...suggested } = await probeContract(parts);
  return { items: [...known, ...checks], ...suggested };
}

const ASKED_FIRST = ['clock', 'account', 'endpoint'];

/** What the service would be asked for, and is not for this reason. */
async function unaskedOf(parts: DoctorParts, because: string): Promise<Check[]> {
  const why = `not asked: ${because}`;
  const { checks } = await probeContract(parts, why);
  const names = [...ASKED_FIRST, ...checks.map(({ name }) => name)];
  return names.map((name) => ({ ...unknown(name, why), because }));
}

const SOON_MS = 7 * 24 * 3_600_000;

/**
 * An API key lasts; the token of a dashboard session ends by itself, and its calls that debit need a TOTP code
 * (specification 5). A read can't distinguish them, but a token that says when it ends is none to run on.
 */
export function checkKey(key: string, now: Date): Check {
  const endsAt = endOf(key);
  if (endsAt === null) return unknown('key', 'whether it is an API key or the token of a session, no read can show');
  const at = Number.isFinite(endsAt) && Math.abs(endsAt) < 8.64e15 ? new Date(endsAt).toISOString() : 'some time';
  if (endsAt - now.getTime() > SOON_MS) return ok('key', `says that it ends at ${at}`);
  const remedy = 'put an API key into SERVICE_API_KEY: see the service’s dashboard';
  return finding('key', `looks like the token of a session: it says that it ends at ${at}`, remedy);
}

/** In ms, where the key is a JSON web token with an end; its signature does not matter here. */
function endOf(key: string): number | null {
  const parts = key.split('.');
  if (parts.length !== 3) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return null;
    return typeof claims.exp === 'number' ? claims.exp * 1_000 : null;
  } catch {
    return null;
  }
}

const NAME = 'matching';
/** It follows the posting, which is every minute. */
const LATE_MS = 30 * 60_000;

/** Whether the three-way match follows the records. */
export async function checkMatching({ db, now }: Pick<DoctorParts, 'db' | 'now'>): Promise<Check[]> {
  const behindSince = await matchBehind(db);
  if (behindSince === null) return [ok(NAME, 'level with the records')];
  const found = `changes of records since ${behindSince} are not matched yet`;
  if (now().getTime() - Date.parse(behindSince) <= LATE_MS) return [ok(NAME, found)];
  return [finding(NAME, found, 'see that tallyhook schedule runs, and what its log says')];
}

/** Whether each channel takes alerts. Sends nothing. */
export async function checkChannels({ db, config, now }: Pick<DoctorParts, 'db' | 'config' | 'now'>): Promise<Check[]> {
  const views = await channelViews(db);
  const configured = channelsOf(config, now).map(({ name }) => name);
  if (configured.length > 0)
    return [
      ...configured.map((name) =>
        checkChannel(
          name,
          views.find(({ channel }) => channel === name),
        ),
      ),
      config.CONSOLE_PUBLIC_URL === undefined
        ? hint('links in alerts', 'alerts lead to no page', 'set CONSOLE_PUBLIC_URL where schedulers run')
        : ok('links in alerts', `lead to ${config.CONSOLE_PUBLIC_URL}`),
    ];
  const remedy = 'set ALERT_SLACK_URL, ALERT_WEBHOOK_URL or ALERT_SMTP_URL, then: tallyhook alerts test';
  return [unknown('alert channels', 'none is configured: nobody gets an alert', remedy)];
}

function checkChannel(name: string, view: ChannelView | undefined): Check {
  const check = `alerts by ${name}`;
  const test = 'tallyhook alerts test';
  const taken = view?.lastOkAt ? `last taken at ${view.lastOkAt.toISOString()}` : 'never taken yet';
  if (view?.failingSince) {
    const waits = `${counted(view.waiting, 'waits', 'wait')}, next attempt at ${view.nextAttemptAt.toISOString()}`;
    const found = `fails since ${view.failingSince.toISOString()}: ${view.error ?? 'no reason kept'}; ${waits}; ${taken}`;
    return finding(check, found, `correct the address or the secret, restart the schedulers, then: ${test}`);
  }
  return view?.lastOkAt ? ok(check, taken) : unknown(check, taken, test);
}

/** One question that hangs, or fails ever again, must not keep the others from being asked. */
const DOCTOR_RETRIES = {
  attemptMs: 8_000,
  deadlineMs: 30_000,
  retries: 1,
  longestRetryAfterMs: 5_000,
  failures: 10_000,
};

/** Every dependency and assumption probed. Reads from the service and changes nothing; ends when `signal` does. */
export async function runDoctor(runtime: Runtime, signal: AbortSignal = runtime.signal): Promise<Diagnosis> {
  const clientFor = (contract: Contract) => createServiceClient(runtime, { contract, retryPolicy: DOCTOR_RETRIES });
  return examine({
    ...runtime,
    signal,
    client: await createServiceClient(runtime, { retryPolicy: DOCTOR_RETRIES }),
    clientFor,
  });
}

/** What was probed from here, and what the database shows: of each cause one finding. `met`: what keeps the service from being asked, and nobody noted yet. */
export async function withState(
  { db, config, now }: Pick<DoctorParts, 'db' | 'config' | 'now'>,
  probed: readonly Check[],
  met: Outage | null = null,
): Promise<Check[]> {
  const at = now();
  const known = await loadState(db, { now: at, kinds: runKinds, runEverySeconds: runEverySeconds(config) });
  const isNew = met !== null && hindranceOf(known.facts) === null;
  const state = isNew ? stateOf({ ...known.facts, outage: met }, known.alerts, at) : known.state;
  return mergeState(probed, state, checksOf(known));
}

/** What is both probed and known is one finding, in its place among the problems; what follows from another is not known by itself. */
export function mergeState(given: readonly Check[], { problems }: State, looked: readonly Check[]): Check[] {
  const [unasked, probed] = [given.filter(({ because }) => because), given.filter(({ because }) => !because)];
  const sameOf = ({ name, status }: Check) =>
    problems.find((head) => status === 'finding' && head.severity !== 'low' && checksIn(head).includes(name));
  const told = new Set(problems.flatMap(({ checks }) => checks));
  const causes = new Map(
    problems.flatMap((head) => head.follows.flatMap(checksIn).map((name) => [name, head] as const)),
  );
  const probes = probed
    .filter((check) => sameOf(check) === undefined && (check.status === 'finding' || !told.has(check.name)))
    .map((check) => ({ ...check, ...followsOf([], unaskedFor(unasked, [check.found])) }));
  const shown = problems.map((head) => {
    const titles = [head.title, ...head.follows.map(({ title }) => title)];
    const same = probed.filter((check) => sameOf(check) === head);
    return { ...checkOf(head, same), ...followsOf(head.follows, unaskedFor(unasked, titles)) };
  });
  const names = new Set(given.map(({ name }) => name));
  const others = looked.filter(({ name }) => !told.has(name) && !names.has(name));
  return [
    ...probes,
    ...shown,
    ...others.map((check) => {
      const cause = causes.get(check.name);
      if (cause === undefined) return check;
      return { ...unknown(check.name, `follows from: ${cause.title}`), because: cause.title };
    }),
    ...unasked,
  ];
}

const checksIn = ({ checks, follows }: Problem): string[] => [...checks, ...follows.flatMap((one) => one.checks)];

function checkOf({ checks, title, detail, remedy: known, ...problem }: Problem, probes: readonly Check[]): Check {
  const { isOver, isWatched, waitsFor } = problem;
  const name = checks.join(', ');
  const found = [`${title}. ${detail}`, ...probes.map((probe) => `Probed now: ${probe.found}.`)].join(' ');
  if (isOver) return ok(name, found);
  const remedy = known === '' ? (probes[0]?.remedy ?? '') : known;
  const check = remedy === '' ? unknown(name, found) : finding(name, found, remedy);
  return { ...check, ...(waitsFor === null ? {} : { waitsFor }), ...(isWatched ? { isWatched } : {}) };
}

/** How many checks there would be besides, if it were not for one of these. */
function unaskedFor(unasked: readonly Check[], causes: readonly string[]): string[] {
  const some = unasked.filter(({ because = '' }) => causes.includes(because));
  if (some.length === 0) return [];
  return [
    `${counted(some.length, 'check is', 'checks are')} not made, which ask the service: ${ASKED_FIRST.join(', ')}, contract`,
  ];
}

function followsOf(problems: readonly Problem[], more: readonly string[]): Pick<Check, 'follows'> {
  const follows = [...problems.map(({ title }) => title), ...more];
  return follows.length === 0 ? {} : { follows };
}

/** Each thing that is looked at, as if it were well; a kind that nobody is asked about yet is not well all the same. */
function checksOf({ facts: { parts, kinds, canary } }: KnownState): Check[] {
  const heard = parts.filter(({ part }) => part !== 'queue');
  const named = heard.map(({ part, secondsAgo }) => ok(part, `last heard of ${Math.round(secondsAgo)} s ago`));
  const read = kinds.map((of) => {
    const why = unprovenText(of);
    return why === null
      ? ok(of.kind, `complete as of ${of.completeUntil} (${of.ageSeconds} s ago)`)
      : unknown(of.kind, why);
  });
  const others = stateChecks.filter((name) => name !== 'alerts');
  const unchecked = heard.some(({ part }) => part === 'alerts')
    ? []
    : [unknown('alerts', 'never checked', 'tallyhook schedule does')];
  return [
    ...named,
    ...unchecked,
    ...others.map((name) => ok(name, name === 'canary' ? canaryWords(canary) : 'nothing is wrong')),
    ...read,
  ];
}
