import { TimeoutStrategy, timeout } from 'cockatiel';
import { secretsSource } from '../../config.js';
import { lateSeconds } from '../../domain/alerts/condition.js';
import { acceptAgain, NONE_ACCEPTED, retiredLast } from '../../domain/deliveries/last-secret.js';
import { counted } from '../../domain/in-words.js';
import type { SecretStatus } from '../../domain/views/webhook-shapes.js';
import { differingSettings, valuesText } from '../../records/alerts/process-settings.js';
import { decidingSealCheck, sealState, unsealedText, unverifiedSeconds } from '../../records/audit/seal-checks.js';
import { connectionRoom } from '../../records/database/examine-database.js';
import { newerSchema } from '../../records/database.js';
import { countLeftBodies, cutoffOf } from '../../records/retention/apply-retention.js';
import { retentionState } from '../../records/retention/retention-state.js';
import { versionText } from '../../version.js';
import { createQueueProducer, QUEUE_TIMEOUT_MS } from '../../webhook/queue.js';
import { secretsStatus } from '../../webhook/rotation.js';
import { sharedSettings } from '../reconcile-settings.js';
import { type Check, type DoctorParts, finding, hint, ok, unknown } from './check.js';

/** Of one process with all roles: the pool, the queue's (docs/scale.md), a lock for each of the nine kinds and the leader, the listening. */
const MOST_CONNECTIONS = 20 + 14 + 11;
const MOST_WITH_REDIS = 20 + 11;
/** Of Redis: a connection, and an answer. */
const asking = timeout(3 * QUEUE_TIMEOUT_MS, TimeoutStrategy.Aggressive);
const RETENTION_LATE_MS = 3 * 86_400_000;
const SEE_SCHEDULE = 'see that tallyhook schedule runs, and what its log says';

export async function checkDatabase({ ready, db }: DoctorParts): Promise<Check[]> {
  const { ok: isReady, problems, about } = await ready();
  if (isReady) return [ok('database', 'answers, both schemas are up to date'), ...(await checkVersion(db))];
  const remedy = about === 'schema' ? 'run: tallyhook migrate' : 'docs/troubleshooting.md, “It does not start”';
  return [finding('database', problems.join('; '), remedy)];
}

/** Whether the server has room for one process with all roles, at its busiest. */
export async function checkConnections({ db, config }: DoctorParts): Promise<Check[]> {
  const { allowed, others } = await connectionRoom(db);
  const [queue, needed] = config.REDIS_URL === undefined ? ['', MOST_CONNECTIONS] : [' with Redis', MOST_WITH_REDIS];
  const left = allowed - others;
  const sum = `the server lets us have ${left} (${allowed} in all, ${others} taken by others); tallyhook start opens up to ${needed}${queue}`;
  if (left >= needed) return [ok('connections', sum)];
  return [
    finding('connections', sum, 'raise max_connections, set REDIS_URL, or take a pooler: docs/scale.md, “Connections”'),
  ];
}

async function checkVersion(db: DoctorParts['db']): Promise<Check[]> {
  const older = await newerSchema(db);
  if (older === null) return [];
  return [finding('version', `${versionText}: ${older}`, 'it goes on working; start the newer version everywhere')];
}

export async function checkSecrets({ db, config }: DoctorParts): Promise<Check[]> {
  const configured = config.WEBHOOK_SECRETS ?? [];
  if (configured.length === 0)
    return [
      finding(
        'secrets',
        'neither WEBHOOK_SECRETS nor WEBHOOK_SECRETS_FILE is set',
        'put the secret in that was shown when the endpoint was created',
      ),
    ];
  const { items } = await secretsStatus(db, configured);
  const last = retiredLast(items);
  const none = last === null ? [] : [finding('secrets', NONE_ACCEPTED, acceptAgain(last, secretsSource(config)))];
  return [...none, ...items.map(checkSecret)];
}

function checkSecret(secret: SecretStatus): Check {
  const { label, lastMatchAt, matches24h, notSent, unmatched, lacking, untold: notKnown, retiredAt, next } = secret;
  const name = `secret ${label}`;
  if (notSent !== null && notSent > 0 && retiredAt === null) {
    const found = `${notSent} of the events that came under it were not sent by the service: it may have leaked`;
    return finding(name, found, 'rotate it: docs/rotate-secrets.md, “When a secret leaked”');
  }
  if (lacking > 0 && retiredAt === null) {
    const found = `${lacking} of the events that came under it are not in the delivery history: it may have leaked, or the history lacks events`;
    const remedy =
      'compare those that the break history_differs names with the service’s dashboard; tallyhook secrets status';
    return finding(name, found, remedy);
  }
  if (lastMatchAt === null) return unknown(name, 'no event has come under it yet', next);
  const open =
    unmatched === 0 ? '' : `; ${counted(unmatched, 'event is', 'events are')} not in the delivery history so far`;
  const why = notKnown === null ? '' : `; whether the service sent them is not known: ${notKnown}`;
  return ok(name, `last match ${lastMatchAt}, ${matches24h} in 24 h${open}${why}`);
}

/** Whether the queue answers, asked from here. Redis alone is asked: a queue in the database is as well as that. */
export async function checkQueue({ config, queues }: Pick<DoctorParts, 'config' | 'queues'>): Promise<Check[]> {
  if (config.REDIS_URL === undefined) return [ok('queue', 'is in the database')];
  const queue = createQueueProducer('events', queues);
  try {
    const { waiting } = await asking.execute(() => queue.opened.then(() => queue.state()));
    return [ok('queue', `Redis answers, ${counted(waiting, 'job waits', 'jobs wait')}`)];
  } catch {
    const found =
      'Redis does not answer: webhooks are applied some seconds later, and commands of the console wait; nothing is lost, events are in Postgres';
    return [finding('queue', found, 'start Redis, or correct REDIS_URL; all goes on by itself')];
  } finally {
    await queue.close();
  }
}

/** Whether all roles at work hold a release to the same, and whether a store that registers its orders also demands it. */
export async function checkRegistration({ db, config }: Pick<DoctorParts, 'db' | 'config'>): Promise<Check[]> {
  const differing = await differingSettings(db, sharedSettings(config));
  if (differing.length > 0) {
    const remedy = 'set it alike for every role and for this command, and restart those that differ';
    return differing.map((found) => finding('registration', `${found.setting} is ${valuesText(found)}`, remedy));
  }
  if (config.RELEASE_REQUIRES_REGISTRATION)
    return [ok('registration', 'an order that is not registered is never released')];
  const found = await db('orders').whereNotNull('registered_at').first('reference');
  if (found === undefined) return [ok('registration', 'no order is registered, and none has to be')];
  return [
    hint(
      'registration',
      'orders are registered, and one that is not may be released too',
      'once the store registers each order, set RELEASE_REQUIRES_REGISTRATION=on for every role',
    ),
  ];
}

/** When what is old was last let go of, and what of it had to stay. */
export async function checkRetention({ db, config, now }: DoctorParts): Promise<Check[]> {
  const { finishedAt, unfinished } = await retentionState(db);
  if (finishedAt === null)
    return [unknown('retention', 'has not been through everything yet', 'tallyhook schedule does it, once a day')];
  const { received, failed, dead } = await countLeftBodies(db, cutoffOf(now(), config.RETENTION_BODY_DAYS));
  const left = received + failed + dead;
  const stays = left === 0 ? '' : `; ${counted(left, 'body stays', 'bodies stay')}, because not each event is applied`;
  const found = `last finished at ${finishedAt.toISOString()}${stays}`;
  if (now().getTime() - finishedAt.getTime() > RETENTION_LATE_MS) {
    const where = unfinished.length === 0 ? '' : `, unfinished: ${unfinished.join(', ')}`;
    return [finding('retention', `${found}${where}`, SEE_SCHEDULE)];
  }
  if (left > 0) return [finding('retention', found, 'tallyhook events list --status dead, then events replay ID')];
  return [ok('retention', found)];
}

/** Whether what is written is sealed in time, and whether all that is sealed was found as it was. */
export async function checkSealing({ db, now }: DoctorParts): Promise<Check[]> {
  const { newest, unsealed } = await sealState(db);
  const waiting = unsealed.filter(
    ({ oldestAt }) => oldestAt !== null && now().getTime() - Date.parse(oldestAt) > lateSeconds.seal * 1_000,
  );
  const rows = unsealed.reduce((sum, log) => sum + log.rows, 0);
  const head = newest === null ? 'nothing is sealed yet' : `the newest seal is ${newest.number} of ${newest.sealedAt}`;
  const found = `${head}; ${unsealedText(rows)} rows are not sealed yet`;
  const sealing =
    waiting.length === 0
      ? ok('seals', found)
      : finding(
          'seals',
          `${found}, some of ${waiting.map(({ log }) => log).join(', ')} for longer than half an hour`,
          SEE_SCHEDULE,
        );
  return [sealing, await checkLast(db, now())];
}

async function checkLast(db: DoctorParts['db'], now: Date): Promise<Check> {
  const name = 'seals verified';
  const check = await decidingSealCheck(db);
  if (check === null) return unknown(name, 'they were never verified', 'tallyhook audit verify');
  const { finishedAt, rows, findings, firstFinding } = check;
  if (findings > 0)
    return finding(
      name,
      `at ${finishedAt}: ${counted(findings, 'finding')}, first: ${firstFinding}`,
      'docs/runbook.md, “Seals are broken”',
    );
  const found = `at ${finishedAt} ${rows} rows were as they were sealed`;
  if ((await unverifiedSeconds(db, now)) > lateSeconds.verification)
    return finding(name, `${found}; all of them not for three days`, `tallyhook audit verify, and ${SEE_SCHEDULE}`);
  return ok(name, found);
}
