import { alertTitle } from '../../domain/alerts/alerts.js';
import type { ChannelView } from '../../records/alerts/alert-channels.js';
import type { NoticeView } from '../../records/alerts/list-notices.js';
import { type Column, notice, type Section, table } from './sections.js';
import { ago, badge, badgesOf, count, list, none, quiet, text, type Value } from './values.js';

/** When what waits is tried again, where that is yet to come. */
export function nextTry(next: Date | undefined, now: Date): Value[] {
  return next === undefined || next <= now ? [] : [text('next'), ago(next.toISOString())];
}

export function channelSection(alertChannels: readonly string[], views: readonly ChannelView[], now: Date): Section {
  if (alertChannels.length === 0 && views.length === 0) {
    const text = 'Set ALERT_SLACK_URL, ALERT_WEBHOOK_URL or ALERT_SMTP_URL, and try it: “tallyhook alerts test”.';
    return notice('warn', 'Nobody gets an alert: no channel is configured', text);
  }
  const names = [...new Set([...alertChannels, ...views.map(({ channel }) => channel)])].sort();
  const rows = names.map((name) => ({ name, view: views.find(({ channel }) => channel === name) }));
  return table(rows, {
    caption: 'Channels',
    columns: [
      ['Channel', ({ name }) => text(name)],
      ['State', ({ name, view }) => stateOf(view, alertChannels.includes(name))],
      ['Last taken', ({ view }) => ago(view?.lastOkAt?.toISOString(), 'never')],
      ['Waiting', ({ view }) => count(view?.waiting ?? 0), 'end'],
      [
        'Next attempt',
        ({ view }) => (view !== undefined && view.waiting > 0 ? list(nextTry(view.nextAttemptAt, now), 'now') : none()),
      ],
    ],
  });
}

function stateOf(view: ChannelView | undefined, isConfigured: boolean): Value {
  if (!isConfigured) return badge('not configured any more', 'quiet');
  if (view?.failingSince)
    return list([badge('fails', 'bad'), text(view.error ?? ''), quiet('since'), ago(view.failingSince.toISOString())]);
  return view?.lastOkAt ? badge('takes alerts', 'good') : badge('not tried yet', 'warn');
}

const noticeWords: Readonly<Record<string, string>> = {
  'alert.firing': 'fires',
  'alert.resolved': 'is over',
  'alert.digest': 'the day’s digest',
  'books.closed': 'a month was closed',
};

const statusBadge = badgesOf<NoticeView['status']>({ pending: 'warn', sent: 'good', expired: 'bad' });

export const noticeColumns: Column<NoticeView>[] = [
  ['What', (notice) => list([text(alertTitle(notice)), quiet(noticeWords[notice.type] ?? notice.type)])],
  ['Channel', ({ channel }) => text(channel)],
  ['Status', ({ status }) => statusBadge(status)],
  ['Made', ({ createdAt }) => ago(createdAt)],
  ['Sent', ({ sentAt }) => ago(sentAt)],
];
