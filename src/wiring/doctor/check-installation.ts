import { acceptAgain, NONE_ACCEPTED, retiredLast } from '../../domain/deliveries/last-secret.js';
import type { SecretStatus } from '../../domain/deliveries/secret-status.js';
import { connectionRoom } from '../../records/database/connection-room.js';
import { newerSchema } from '../../records/database.js';
import { countUnsettledWrites } from '../../records/service-writes.js';
import { versionText } from '../../version.js';
import { secretsStatus } from '../../webhook/rotation.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

/** Of one process with all roles: the pool, the queue's (docs/scale.md), a lock for each of the nine kinds and the leader. */
const MOST_CONNECTIONS = 20 + 14 + 10;
const MOST_WITH_REDIS = 20 + 10;

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
        'WEBHOOK_SECRETS is not set',
        'put the secret in that was shown when the endpoint was created',
      ),
    ];
  const { items } = await secretsStatus(db, configured);
  const last = retiredLast(items);
  const none = last === null ? [] : [finding('secrets', NONE_ACCEPTED, acceptAgain(last))];
  return [...none, ...items.map(checkSecret)];
}

function checkSecret(secret: SecretStatus): Check {
  const { label, lastMatchAt, matches24h, notSent, unmatched, lacking, untold, retiredAt, next } = secret;
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
  if (lastMatchAt === null) {
    return unknown(name, 'no event has come under it yet', next);
  }
  const open = unmatched === 0 ? '' : `; ${unmatched} events are not in the delivery history so far`;
  const why = untold === null ? '' : `; whether the service sent them is not known: ${untold}`;
  return ok(name, `last match ${lastMatchAt}, ${matches24h} in 24 h${open}${why}`);
}

interface Overview {
  waiting: string;
  dead: string;
  open: string;
  critical: string;
}

/** What waits, and what is open. */
export async function checkWork({ db }: DoctorParts): Promise<Check[]> {
  const { rows } = await db.raw<{ rows: Overview[] }>(`
    SELECT (SELECT count(*) FROM inbox WHERE status IN ('received', 'failed') AND received_at < now() - interval '1 minute') AS waiting,
           (SELECT count(*) FROM inbox WHERE status = 'dead') AS dead,
           (SELECT count(*) FROM breaks WHERE status = 'open') AS open,
           (SELECT count(*) FROM breaks WHERE status = 'open' AND severity = 'critical') AS critical`);
  const now = rows[0];
  if (!now) return [];
  const { lost, open } = await countUnsettledWrites(db);
  return [
    lost + open === 0
      ? ok('calls with unknown outcome', 'none')
      : finding(
          'calls with unknown outcome',
          `${open} creating calls wait to be settled, ${lost} can’t be settled any more`,
          'let tallyhook schedule run; tallyhook calls list names the lost ones: look in the dashboard, then calls settle',
        ),
    now.waiting === '0'
      ? ok('events', 'none has waited for more than a minute')
      : finding(
          'events',
          `${now.waiting} have waited for more than a minute`,
          'see that a worker runs; tallyhook events list --status failed says why',
        ),
    now.dead === '0'
      ? ok('dead events', 'none')
      : finding('dead events', now.dead, 'tallyhook events list --status dead, then events replay ID'),
    now.open === '0'
      ? ok('breaks', 'none is open')
      : finding('breaks', `${now.open} open, ${now.critical} of them critical`, 'tallyhook breaks list --status open'),
  ];
}
