import { alertTitle, conditionNamed, type FoundAlert, findAlerts, remedyOf } from '../../domain/alerts/alerts.js';
import { channelNames } from '../../domain/alerts/condition.js';
import { type AlertFacts, toRecover } from '../../domain/alerts/facts.js';
import { leftToDo, losesDeliveries, remainingAlerts } from '../../domain/alerts/over-words.js';
import { duration } from '../../domain/in-words.js';
import { inOrder } from '../../domain/state/state.js';
import type { AlertView } from '../../domain/views/operation-shapes.js';
import { listActions } from '../../records/actions/list-actions.js';
import { type ChannelView, channelViews } from '../../records/alerts/alert-channels.js';
import { getAlert } from '../../records/alerts/decide-alert.js';
import { listNotices, type NoticeView, noticeStatuses, noticesOf } from '../../records/alerts/list-notices.js';
import type { KnownState } from '../../records/alerts/load-state.js';
import { alertOf, listAlerts } from '../../records/alerts/settle-alerts.js';
import { acknowledgeAlert, silenceAlert } from '../actions/decide-alert.js';
import { rangeButton } from '../actions/recover-deliveries.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { channelSection, nextTry, noticeColumns } from '../view/alert-channels.js';
import { alertHref } from '../view/links.js';
import { runbookPanel } from '../view/runbook.js';
import {
  beyond,
  type Cell,
  FIRST_ROWS,
  factsPanel,
  filters,
  listTable,
  notice,
  options,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { alertStanding, remedyText } from '../view/standing.js';
import { ago, badge, line, link, list, none, quiet, stack, type Tone, text, time, type Value } from '../view/values.js';

const OVER_DAYS = 7;
/** The conditions are checked twice a minute. */
const CHECK_LIMIT_SECONDS = 120;

export const alerts: Page = {
  path: '/alerts',
  title: 'Alerts',
  group: '',
  waiting: {
    count: ({ alerts }) => alerts.filter(({ fired_at: firedAt, isOver }) => firedAt !== null && !isOver).length,
    words: 'firing',
  },
  list: { rows: noticeRows },
  filters: [
    { name: 'channel', label: 'Sent by', options: options(channelNames) },
    { name: 'status', label: 'Status', options: options(noticeStatuses) },
  ],
  live: true,
  load: async (deps, req) => {
    const { db } = deps;
    const now = deps.now();
    const resolvedFrom = new Date(now.getTime() - OVER_DAYS * 86_400_000);
    const [whole, over, channels, notices] = await Promise.all([
      deps.state(),
      listAlerts(db, { resolvedFrom, take: 100 }),
      channelViews(db),
      noticeRows(deps, req),
    ]);
    const { state, facts, alerts: rows } = whole;
    const open = rows.map((row) => alertOf(row, row.isOver)).reverse();
    const sent = await noticesOf(
      db,
      [...open, ...over.items].map(({ id }) => id),
    );
    const checkedAgo = facts.parts.find(({ part }) => part === 'alerts')?.secondsAgo ?? null;
    const isBlind = checkedAgo === null || checkedAgo > CHECK_LIMIT_SECONDS;
    const withStatus = (wanted: AlertView['status']) => open.filter(({ status }) => status === wanted);
    const known = inOrder(state, [...withStatus('firing'), ...withStatus('pending')]);
    const coming = notYetNotice(known, findAlerts(facts));
    return {
      intro: 'What is sent to people without asking: what fires, where it was sent, and whether it got there.',
      sections: [
        ...(isBlind ? [checkNotice(checkedAgo)] : coming),
        firingTable(
          known.map((alert) => asNow(alert, facts)),
          { notices: sent, channels, now, req, whole },
          isBlind ? BLIND : coming.length > 0 ? COMING : NONE,
        ),
        channelSection(deps.alertChannels, channels, now),
        overTable(over.items, { notices: sent, channels: [], now }),
        filters(req, { changes: { channel: { options: options(channels.map(({ channel }) => channel)) } } }),
        notices,
      ],
    };
  },
};

async function noticeRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  return listTable(req, await listNotices(db, { ...req.filters, ...req.slice }), {
    caption: 'What was sent, newest first',
    isMain: false,
    showCaption: true,
    columns: noticeColumns,
    unfit: ['No notice fits', 'Clear the filters.'],
    empty: ['Nothing was sent yet', 'A digest goes out each day after 07:00 UTC, also on a quiet one.'],
  });
}

function checkNotice(checkedAgo: number | null): Section {
  const title =
    checkedAgo === null
      ? 'Nobody has checked for alerts yet'
      : `Nobody has checked for alerts for ${duration(checkedAgo)}`;
  const text =
    'Whether anything is wrong is not known here: the leading scheduler checks twice a minute. See that “tallyhook schedule” runs, and what it logs.';
  return notice('bad', title, text);
}

/** What holds since the last check: the status line says so already. */
function notYetNotice(known: readonly AlertView[], found: readonly FoundAlert[]): Section[] {
  const more = found.filter((one) => known.every((alert) => !isOf(alert, one)));
  if (more.length === 0) return [];
  const text = more.map(({ summary, detail }) => `${summary}. ${detail}`).join(' ');
  return [notice('warn', 'The next check, within half a minute, adds to these alerts', text)];
}

const isOf = ({ name, subject }: AlertView, found: FoundAlert): boolean =>
  name === found.name && subject === found.subject;

interface Sent {
  notices: readonly NoticeView[];
  channels: readonly ChannelView[];
  now: Date;
}

type Words = readonly [title: string, text: string];

/** What is said where no alert fires: nobody checks; the next check adds some; there is none. */
const BLIND: Words = ['Not known', 'Nothing fired when it was last checked.'];
const COMING: Words = ['No alert fires yet', 'The next check adds what is named above.'];
const NONE: Words = ['No alert fires', 'Of the conditions of the runbook none holds that the database shows.'];

function firingTable(
  items: readonly AlertView[],
  sent: Sent & { req: PageRequest; whole: KnownState },
  empty: Words,
): Section {
  return table(items, {
    caption: 'What fires now',
    isMain: true,
    calm: beyond(FIRST_ROWS),
    onPhone: 'folded',
    columns: [
      ['Alert', nameOf, 'wide'],
      ['Cause', (alert) => stack([text(alert.detail), ...alertStanding(sent.whole, alert)])],
      ['What to do', (alert) => stack([remedyText(alert.remedy), link('Where to check', hrefOf(alert))])],
      ['Who is at it', (alert) => standingOrButton(alert, sent)],
      ['Since', ({ since }) => ago(since)],
      [
        'Notified',
        (alert) =>
          alert.status === 'pending' ? none('when it has held for longer') : notifiedOf(alert, 'alert.firing', sent),
      ],
    ],
    empty,
  });
}

/** In the numbers of now, where it still holds: what is kept is from the check before. */
function asNow(alert: AlertView, facts: AlertFacts): AlertView {
  const now =
    alert.resolvedAt === null && [...findAlerts(facts), ...remainingAlerts(facts)].find((one) => isOf(alert, one));
  if (now) return { ...alert, isOver: false, summary: now.summary, detail: now.detail, remedy: remedyOf(now) };
  return alert.isOver || alert.resolvedAt !== null ? { ...alert, remedy: leftToDo(alert.name, facts) } : alert;
}

/** Where what an alert is about is seen, and acted upon. */
function hrefOf({ name, subject }: AlertView): string {
  const page = conditionNamed(name)?.page ?? '/doctor';
  return page.endsWith('=') ? `${page}${encodeURIComponent(subject)}` : page;
}

const severityTones: Readonly<Record<string, Tone>> = { critical: 'bad', warning: 'warn' };

function nameOf(alert: AlertView): Value {
  const { id, name } = alert;
  return stack([line([severityOf(alert), text(' '), link(alertTitle(alert), alertHref(id))]), quiet(name)]);
}

/** What is over has no colour, also before its alert ends. */
function severityOf({ severity, resolvedAt, isOver }: AlertView): Value {
  if (resolvedAt !== null) return badge(`was ${severity}`, 'quiet');
  if (isOver) return badge('over, ends within minutes', 'quiet');
  return badge(severity, severityTones[severity] ?? 'quiet');
}

/** Who said that they are at it, and until when nothing more is sent; nothing where nobody said anything. */
function standingOf({ acknowledgedBy, acknowledgedAt, silencedUntil, silencedBy }: AlertView, now: Date): Value[] {
  const isSilenced = silencedUntil !== null && new Date(silencedUntil) > now;
  return [
    ...(acknowledgedBy === null ? [] : [list([text(acknowledgedBy), ago(acknowledgedAt)])]),
    ...(isSilenced ? [list([badge('silent until', 'info'), time(silencedUntil), quiet(`by ${silencedBy}`)])] : []),
  ];
}

/** Where nobody is at it, whoever may says so with the button. */
function standingOrButton(alert: AlertView, sent: Sent & { req: PageRequest }): Cell {
  const standing = standingOf(alert, sent.now);
  const isOpen = standing.length === 0 && alert.status === 'firing' && !alert.isOver;
  const button = isOpen ? sent.req.button(acknowledgeAlert, { id: alert.id }) : null;
  return button === null ? stack(standing) : { is: 'action', button };
}

/** One alert, whatever became of it, beside what the runbook says of it. */
export const alertPage: Page = {
  path: '/alerts/:id',
  title: 'Alert',
  load: async (deps, req) => {
    const { db } = deps;
    const kept = await getAlert(db, req.params['id'] ?? '', deps.now());
    if (kept === null) return null;
    const whole = await deps.state();
    const { facts } = whole;
    const alert = asNow(kept, facts);
    const { id } = alert;
    const isPast = alert.isOver || alert.resolvedAt !== null;
    const [notices, channels, done] = await Promise.all([
      noticesOf(db, [id]),
      channelViews(db),
      listActions(db, { target: `alert ${id}` }),
    ]);
    const sent = { notices, channels, now: deps.now() };
    // Also once it is over, while something is not here.
    const recovers = losesDeliveries(alert.name) && toRecover(facts).count > 0;
    const decisions = alert.status === 'firing' ? [acknowledgeAlert, silenceAlert] : [];
    return {
      title: alertTitle(alert),
      badges: [severityOf(alert), badge(alert.status, alert.status === 'resolved' ? 'quiet' : 'warn')],
      actions: [recovers ? rangeButton(req, facts) : null, ...decisions.map((action) => req.button(action, { id }))],
      sections: [
        factsPanel('The alert', [
          [
            isPast ? 'As it was seen last' : 'Cause',
            stack([text(alert.detail), ...(isPast ? [] : alertStanding(whole, alert))]),
          ],
          ['What to do first', remedyText(alert.remedy)],
          ['Where to check', link('Go there', hrefOf(alert))],
          ['Since', ago(alert.since)],
          ['Over', ago(alert.resolvedAt, 'not yet')],
          ['Who is at it', stack(standingOf(alert, sent.now))],
          ['Notified', notifiedOf(alert, 'alert.firing', sent)],
        ]),
        runbookPanel(conditionNamed(alert.name)?.runbook ?? ''),
        table(done.items, {
          caption: 'What people did',
          columns: [
            ['When', ({ at }) => ago(at)],
            ['Who', ({ actor }) => text(actor)],
            [
              'What',
              ({ action, outcome }) => list([text(action), ...(outcome === 'done' ? [] : [badge(outcome, 'warn')])]),
            ],
            ['Reason', ({ reason }) => text(reason)],
          ],
          empty: ['Nobody did anything yet', 'Say that you are at it: others see it here, on Alerts and on Overview.'],
        }),
      ],
    };
  },
};

/** Each channel that had a notice of it: whether it took it, else when it is tried next. */
function notifiedOf(
  { id }: AlertView,
  type: 'alert.firing' | 'alert.resolved',
  { notices, channels, now }: Sent,
): Value {
  const own = notices.filter((notice) => notice.alertId === id && notice.type === type);
  return list(
    own.flatMap((notice) => {
      if (notice.status === 'sent') return [badge(notice.channel, 'good'), ago(notice.sentAt)];
      if (notice.status === 'expired') return [badge(`${notice.channel}: given up`, 'bad')];
      const next = channels.find(({ channel }) => channel === notice.channel)?.nextAttemptAt;
      return [badge(`${notice.channel}: waits`, 'warn'), ...nextTry(next, now)];
    }),
    'no channel was configured',
  );
}

function overTable(items: readonly AlertView[], sent: Sent): Section {
  return table(items, {
    caption: `Over in the last ${OVER_DAYS} days`,
    calm: { label: 'that are over', is: () => true },
    columns: [
      ['Alert', nameOf],
      ['As it was seen last', ({ detail }) => text(detail)],
      ['Since', ({ since }) => time(since)],
      ['Over', ({ resolvedAt }) => ago(resolvedAt)],
      ['Notified that it is over', (alert) => notifiedOf(alert, 'alert.resolved', sent)],
    ],
    empty: ['None', `No alert ended in the last ${OVER_DAYS} days.`],
  });
}
