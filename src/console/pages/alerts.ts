import { conditionNamed } from '../../domain/alerts/alerts.js';
import type { AlertView } from '../../domain/views/operation-shapes.js';
import { type ChannelView, channelViews } from '../../records/alerts/alert-channels.js';
import { listNotices, type NoticeView, noticeStatuses, noticesOf } from '../../records/alerts/list-notices.js';
import { listAlerts } from '../../records/alerts/settle-alerts.js';
import { processHeartbeats } from '../../records/process-heartbeats.js';
import type { Page, PageRequest } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { paging } from '../view/links.js';
import type { Section, TableSection } from '../view/sections.js';
import {
  badge,
  count,
  duration,
  link,
  list,
  none,
  quiet,
  stack,
  type Tone,
  text,
  time,
  type Value,
} from '../view/values.js';

/** What a notice says of its alert. */
const noticeWords: Readonly<Record<string, string>> = {
  'alert.firing': 'fires',
  'alert.resolved': 'is over',
  'alert.digest': 'the day’s digest',
};

const OVER_DAYS = 7;
/** The conditions are checked twice a minute. */
const CHECK_LIMIT_SECONDS = 120;

export const alerts: Page = {
  path: '/alerts',
  title: 'Alerts',
  group: '',
  filters: ['channel', 'status'],
  live: true,
  load: async (deps, req) => {
    const { db, now } = deps;
    const at = now();
    const resolvedFrom = new Date(at.getTime() - OVER_DAYS * 86_400_000);
    const [heartbeats, firing, pending, over, channels, notices] = await Promise.all([
      processHeartbeats(db),
      listAlerts(db, { status: 'firing', take: 500 }),
      listAlerts(db, { status: 'pending', take: 500 }),
      listAlerts(db, { resolvedFrom, take: 100 }),
      channelViews(db),
      listNotices(db, { ...req.filters, cursor: req.cursor }),
    ]);
    const sent = await noticesOf(
      db,
      [...firing.items, ...over.items].map(({ id }) => id),
    );
    const checkedAgo = heartbeats.find(({ part }) => part === 'alerts')?.secondsAgo ?? null;
    const isBlind = checkedAgo === null || checkedAgo > CHECK_LIMIT_SECONDS;
    return {
      intro: 'What is sent to people without asking: what fires, where it was sent, and whether it got there.',
      sections: [
        ...checkNotice(checkedAgo, isBlind),
        firingTable([...firing.items, ...pending.items], { notices: sent, channels, isBlind, at }),
        ...channelSections(deps, channels, at),
        overTable(over.items, sent, at),
        filtersOf(req, channels),
        noticesTable(notices.items, req, { at, ...paging(req, notices.nextCursor) }),
      ],
    };
  },
};

function checkNotice(checkedAgo: number | null, isBlind: boolean): Section[] {
  if (!isBlind) return [];
  const title =
    checkedAgo === null
      ? 'Nobody has checked for alerts yet'
      : `Nobody has checked for alerts for ${duration(checkedAgo)}`;
  const text = 'Whether anything is wrong is not known here: the leading scheduler checks twice a minute.';
  return [{ is: 'notice', tone: 'bad', title, text: `${text} See that “tallyhook schedule” runs, and what it logs.` }];
}

interface Notices {
  notices: readonly NoticeView[];
  channels: readonly ChannelView[];
  isBlind: boolean;
  at: Date;
}

function firingTable(items: readonly AlertView[], { notices, channels, isBlind, at }: Notices): Section {
  return {
    is: 'table',
    caption: 'What fires now',
    showCaption: true,
    columns: [
      { label: 'Alert' },
      { label: 'Cause' },
      { label: 'What to do' },
      { label: 'Since' },
      { label: 'Notified' },
    ],
    rows: items.map((alert) => [
      nameOf(alert),
      text(alert.detail),
      stack([text(alert.remedy), link('Where to check', hrefOf(alert)), quiet(alert.runbook)]),
      time(alert.since, at),
      alert.status === 'pending'
        ? none('when it has held for longer')
        : notifiedOf(alert, { notices, at, channels, type: 'alert.firing' }),
    ]),
    empty: isBlind
      ? { title: 'Not known', text: 'Nothing fired when it was last checked.' }
      : { title: 'No alert fires', text: 'Of the conditions of the runbook none holds that the database shows.' },
  };
}

/** Where what an alert is about is seen, and acted upon. */
function hrefOf({ name, subject }: AlertView): string {
  const page = conditionNamed(name)?.page ?? '/doctor';
  return page.endsWith('=') ? `${page}${encodeURIComponent(subject)}` : page;
}

const severityTones: Readonly<Record<string, Tone>> = { critical: 'bad', warning: 'warn' };

function nameOf({ summary, subject, severity, name }: AlertView): Value {
  const of = subject === '' ? summary : `${summary}: ${subject}`;
  return stack([badge(severity, severityTones[severity] ?? 'quiet'), text(of), quiet(name)]);
}

/** Each channel that had a notice of it: whether it took it, else when it is tried next. */
function notifiedOf(
  { id }: AlertView,
  { notices, channels, type, at }: Omit<Notices, 'isBlind'> & { type: 'alert.firing' | 'alert.resolved' },
): Value {
  const own = notices.filter((notice) => notice.alertId === id && notice.type === type);
  return list(
    own.flatMap((notice) => {
      if (notice.status === 'sent') return [badge(notice.channel, 'good'), time(notice.sentAt, at)];
      if (notice.status === 'expired') return [badge(`${notice.channel}: given up`, 'bad')];
      const next = channels.find(({ channel }) => channel === notice.channel)?.nextAttemptAt;
      return [badge(`${notice.channel}: waits`, 'warn'), ...nextTry(next, at)];
    }),
    'no channel was configured',
  );
}

function nextTry(next: Date | undefined, at: Date): Value[] {
  return next === undefined || next <= at ? [] : [text('next'), time(next.toISOString(), at)];
}

function channelSections({ alertChannels }: PageDeps, views: readonly ChannelView[], at: Date): Section[] {
  if (alertChannels.length === 0 && views.length === 0) {
    const text = 'Set ALERT_SLACK_URL, ALERT_WEBHOOK_URL or ALERT_SMTP_URL, and try it: “tallyhook alerts test”.';
    return [{ is: 'notice', tone: 'warn', title: 'Nobody gets an alert: no channel is configured', text }];
  }
  const names = [...new Set([...alertChannels, ...views.map(({ channel }) => channel)])].sort();
  return [
    {
      is: 'table',
      caption: 'Channels',
      showCaption: true,
      columns: [
        { label: 'Channel' },
        { label: 'State' },
        { label: 'Last taken' },
        { label: 'Waiting', align: 'end' },
        { label: 'Next attempt' },
      ],
      rows: names.map((name) => {
        const view = views.find(({ channel }) => channel === name);
        return [
          text(name),
          stateOf(view, alertChannels.includes(name), at),
          view?.lastOkAt ? time(view.lastOkAt.toISOString(), at) : none('never'),
          count(view?.waiting ?? 0),
          view !== undefined && view.waiting > 0 ? list(nextTry(view.nextAttemptAt, at), 'now') : none(),
        ];
      }),
      empty: { title: '', text: '' },
    },
  ];
}

function stateOf(view: ChannelView | undefined, isConfigured: boolean, at: Date): Value {
  if (!isConfigured) return badge('not configured any more', 'quiet');
  if (view?.failingSince) {
    return list([
      badge('fails', 'bad'),
      text(view.error ?? ''),
      quiet('since'),
      time(view.failingSince.toISOString(), at),
    ]);
  }
  return view?.lastOkAt ? badge('takes alerts', 'good') : badge('not tried yet', 'warn');
}

function overTable(items: readonly AlertView[], notices: readonly NoticeView[], at: Date): Section {
  return {
    is: 'table',
    caption: `Over in the last ${OVER_DAYS} days`,
    showCaption: true,
    columns: [
      { label: 'Alert' },
      { label: 'Cause' },
      { label: 'Since' },
      { label: 'Over' },
      { label: 'Notified that it is over' },
    ],
    rows: items.map((alert) => [
      nameOf(alert),
      text(alert.detail),
      time(alert.since),
      time(alert.resolvedAt, at),
      notifiedOf(alert, { notices, channels: [], type: 'alert.resolved', at }),
    ]),
    empty: { title: 'None', text: `No alert ended in the last ${OVER_DAYS} days.` },
  };
}

function filtersOf(
  { path, filters: { channel = '', status = '' } }: PageRequest,
  channels: readonly ChannelView[],
): Section {
  const options = (values: readonly string[]) => values.map((value) => ({ value, text: value }));
  return {
    is: 'filters',
    path,
    active: channel !== '' || status !== '',
    fields: [
      { name: 'channel', label: 'Sent by', value: channel, options: options(channels.map((one) => one.channel)) },
      { name: 'status', label: 'Status', value: status, options: options(noticeStatuses) },
    ],
  };
}

const statusTones: Readonly<Record<NoticeView['status'], Tone>> = { pending: 'warn', sent: 'good', expired: 'bad' };

function noticesTable(
  items: readonly NoticeView[],
  { filters }: PageRequest,
  { at, ...pager }: Pick<TableSection, 'first' | 'next'> & { at: Date },
): Section {
  return {
    is: 'table',
    caption: 'What was sent, newest first',
    showCaption: true,
    columns: [{ label: 'What' }, { label: 'Channel' }, { label: 'Status' }, { label: 'Made' }, { label: 'Sent' }],
    rows: items.map(({ type, summary, subject, channel, status, createdAt, sentAt }) => [
      list([text(subject === '' ? summary : `${summary} (${subject})`), quiet(noticeWords[type] ?? type)]),
      text(channel),
      badge(status, statusTones[status]),
      time(createdAt, at),
      time(sentAt, at),
    ]),
    empty:
      Object.keys(filters).length > 0
        ? { title: 'No notice fits', text: 'Clear the filters.' }
        : { title: 'Nothing was sent yet', text: 'A digest goes out each day after 07:00 UTC, also on a quiet one.' },
    ...pager,
  };
}
