import { lateSeconds } from '../../domain/alerts/condition.js';
import { grouped } from '../../domain/grouped.js';
import type { AlertView } from '../../domain/views/operation-shapes.js';
import { type ChannelView, channelViews } from '../../records/alerts/alert-channels.js';
import { listAlerts } from '../../records/alerts/settle-alerts.js';
import { type ProcessHeartbeat, processHeartbeats } from '../../records/process-heartbeats.js';
import { channelsOf } from '../outbound.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

const starts: Readonly<Record<string, string>> = { receiver: 'tallyhook serve', worker: 'tallyhook work' };

const MOST_ALERTS = 200;

/** Who is at work, which alerts fire, whether they are checked, and whether each channel takes them. Sends nothing. */
export async function checkAlerts({ db, config, now }: Pick<DoctorParts, 'db' | 'config' | 'now'>): Promise<Check[]> {
  const [heartbeats, views, { items: firing }] = await Promise.all([
    processHeartbeats(db),
    channelViews(db),
    listAlerts(db, { status: 'firing', take: MOST_ALERTS }),
  ]);
  const configured = channelsOf(config, now).map(({ name }) => name);
  return [
    ...heartbeats.flatMap(checkPart),
    checkHeartbeat(heartbeats.find(({ part }) => part === 'alerts')),
    ...[...grouped(firing, ({ name }) => name)].map(([name, alike]) => checkFiring(name, alike)),
    ...(configured.length === 0
      ? [
          unknown(
            'alert channels',
            'none is configured: nobody gets an alert',
            'set ALERT_SLACK_URL, ALERT_WEBHOOK_URL or ALERT_SMTP_URL, then: tallyhook alerts test',
          ),
        ]
      : configured.map((name) =>
          checkChannel(
            name,
            views.find(({ channel }) => channel === name),
          ),
        )),
  ];
}

function checkPart({ part, seenAt, secondsAgo }: ProcessHeartbeat): Check[] {
  const start = starts[part];
  if (start === undefined) return [];
  const found = `last known to be at work at ${seenAt.toISOString()}`;
  return [secondsAgo > lateSeconds.heartbeat ? finding(part, found, `start it: ${start}`) : ok(part, found)];
}

function checkHeartbeat(heartbeat: ProcessHeartbeat | undefined): Check {
  if (heartbeat === undefined) return unknown('alerts', 'never checked', 'tallyhook schedule does');
  const found = `last checked at ${heartbeat.seenAt.toISOString()}`;
  if (heartbeat.secondsAgo <= lateSeconds.heartbeat) return ok('alerts', found);
  return finding('alerts', found, 'see that tallyhook schedule runs, and what its log says');
}

function checkFiring(name: string, alike: readonly AlertView[]): Check {
  const [newest] = alike as readonly [AlertView, ...AlertView[]];
  const others = alike.length === 1 ? '' : ` (and ${alike.length - 1} more)`;
  const found = `fires since ${newest.since}: ${newest.summary}. ${newest.detail}${others}`;
  return finding(`alert ${name}`, found, newest.remedy);
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
