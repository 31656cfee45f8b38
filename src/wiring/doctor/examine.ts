import { type ChannelView, channelViews } from '../../records/alerts/alert-channels.js';
import { matchBehind } from '../../records/books/match/match-progress.js';
import { channelsOf } from '../outbound.js';
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
import { withState } from './check-state.js';
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
  const { checks: service, isReached } = await checkService(parts);
  const items = [...database, ...service, checkKey(parts.config.SERVICE_API_KEY ?? '', parts.now())];
  if (isReached) items.push(...(await checkEndpoint(parts)));
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
  const known = await withState(parts, items);
  if (!isReached) return { items: known, ...nothing };
  const { checks, ...suggested } = await probeContract(parts);
  return { items: [...known, ...checks], ...suggested };
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
    const waits = `${view.waiting} wait, next attempt at ${view.nextAttemptAt.toISOString()}`;
    const found = `fails since ${view.failingSince.toISOString()}: ${view.error ?? 'no reason kept'}; ${waits}; ${taken}`;
    return finding(check, found, `correct the address or the secret, restart the schedulers, then: ${test}`);
  }
  return view?.lastOkAt ? ok(check, taken) : unknown(check, taken, test);
}
