import { type ChannelView, channelViews } from '../../records/alerts/alert-channels.js';
import { channelsOf } from '../outbound.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

/** Whether each channel takes alerts. Sends nothing. */
export async function checkChannels({ db, config, now }: Pick<DoctorParts, 'db' | 'config' | 'now'>): Promise<Check[]> {
  const views = await channelViews(db);
  const configured = channelsOf(config, now).map(({ name }) => name);
  if (configured.length > 0)
    return configured.map((name) =>
      checkChannel(
        name,
        views.find(({ channel }) => channel === name),
      ),
    );
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
