import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { conditionNamed, type FoundAlert, remedyOf } from '../../domain/alerts/alerts.js';
import { before, isSilent, type Silence } from '../../domain/alerts/condition.js';
import { overDetail, pastSummary } from '../../domain/alerts/over-words.js';
import { duration, minuteOf } from '../../domain/in-words.js';
import { type AlertView, alertShape } from '../../domain/views/operation-shapes.js';
import { jsonbText } from '../database/database-text.js';
import { type Filters, given, type Page, type PageQuery, pageById } from '../database/paging.js';
import { run, type Trx } from '../database/statements.js';
import { viewOf } from '../database/view-of.js';
import { overNow } from './over-now.js';

/** A condition that does not hold any more is taken for over after so long: one that comes and goes is sent once. */
const QUIET_SECONDS = 120;

export interface AlertRow extends FoundAlert, Silence {
  id: string;
  /** As the check knew it that found it first: what began later, or ended, does not move it. */
  since: Date;
  found_at: Date;
  seen_at: Date;
  fired_at: Date | null;
  resolved_at: Date | null;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  silenced_at: Date | null;
  silenced_by: string | null;
}

/** `silentUntil`: it fires still, and its silence is over. */
type Fired = AlertRow & { silentUntil?: Date | null };

export interface Settled {
  fired: Fired[];
  resolved: AlertRow[];
  /** All that were sent and are not over. */
  firing: AlertRow[];
}

interface Settling {
  now: Date;
  channels: readonly string[];
  /** Those that fire do not end while these hold. */
  remaining?: readonly FoundAlert[];
  /** What is to be done still once the alert of the name is over; empty: nothing. */
  left?: (name: string) => string;
}

/**
 * Brings the rows in line with what was found, and puts what is new into every channel's notices, in the transaction.
 * One row for each condition that holds, whoever checks and however often.
 */
export async function settleAlerts(
  trx: Trx,
  found: readonly FoundAlert[],
  { now, channels, remaining = [], left = () => '' }: Settling,
): Promise<Settled> {
  await run(trx)`LOCK TABLE alerts IN EXCLUSIVE MODE`;
  const open = new Map((await openAlerts(trx)).map((row) => [keyOf(row), row]));
  const settled: Settled = { fired: [], resolved: [], firing: [] };
  for (const alert of found) {
    const row = open.get(keyOf(alert));
    open.delete(keyOf(alert));
    await hold(trx, { alert, row, now }, settled);
  }
  for (const row of open.values()) {
    const alert = row.fired_at === null ? undefined : remaining.find((one) => keyOf(one) === keyOf(row));
    if (alert === undefined) await letGo(trx, { row, now }, settled);
    else await hold(trx, { alert, row, now }, settled);
  }
  await addNotices(trx, settled, { channels, left });
  return settled;
}

export async function openAlerts(db: Knex): Promise<AlertRow[]> {
  return db<AlertRow>('alerts').whereNull('resolved_at').orderBy('id');
}

const keyOf = ({ name, subject }: Pick<FoundAlert, 'name' | 'subject'>): string => `${name} ${subject}`;

async function hold(
  trx: Trx,
  { alert, row, now }: { alert: FoundAlert; row: AlertRow | undefined; now: Date },
  settled: Settled,
): Promise<void> {
  const { name, subject, severity, summary, detail, remedy = null, seconds } = alert;
  const found_at = row?.found_at ?? now;
  const held = (now.getTime() - found_at.getTime()) / 1_000 >= (conditionNamed(name)?.holdSeconds ?? 0);
  const fired_at = row?.fired_at ?? (held && (await mayFire(trx, alert, now)) ? now : null);
  const since = row?.since ?? before(now, seconds);
  const state = { severity, summary, detail, remedy, seen_at: now, fired_at, since, found_at };
  const [written] = row
    ? await trx<AlertRow>('alerts').where({ id: row.id }).update(state).returning('*')
    : await trx<AlertRow>('alerts')
        .insert({ name, subject, ...state })
        .returning('*');
  if (written === undefined || written.fired_at === null) return;
  const isOver = written.silenced_until !== null && !isSilent(written, now);
  const after = isOver ? { ...written, ...NO_SILENCE } : written;
  if (isOver) await trx<AlertRow>('alerts').where({ id: after.id }).update(NO_SILENCE);
  settled.firing.push(after);
  if (isOver) settled.fired.push({ ...after, silentUntil: written.silenced_until });
  else if (!row?.fired_at) settled.fired.push(after);
}

const NO_SILENCE = { silenced_at: null, silenced_until: null, silenced_by: null, silenced_severity: null };

async function mayFire(trx: Trx, { name, subject }: FoundAlert, now: Date): Promise<boolean> {
  const apart = conditionNamed(name)?.apartSeconds;
  if (apart === undefined) return true;
  const last = await trx('alerts').where({ name, subject }).max<{ at: Date | null }>('fired_at as at').first();
  return last?.at == null || now.getTime() - last.at.getTime() >= apart * 1_000;
}

async function letGo(trx: Trx, { row, now }: { row: AlertRow; now: Date }, settled: Settled): Promise<void> {
  if (row.fired_at === null) {
    await trx('alerts').where({ id: row.id }).delete();
  } else if ((now.getTime() - row.seen_at.getTime()) / 1_000 < QUIET_SECONDS) {
    settled.firing.push(row);
  } else {
    await trx('alerts').where({ id: row.id }).update({ resolved_at: now });
    settled.resolved.push({ ...row, resolved_at: now });
  }
}

/** Who silenced an alert hears of its end on the pages alone. */
async function addNotices(
  trx: Trx,
  settled: Settled,
  { channels, left }: Required<Pick<Settling, 'channels' | 'left'>>,
): Promise<void> {
  const notices = [
    ...settled.fired.map((row) => ({ key: firingKey(row), message: firingMessage(row) })),
    ...settled.resolved
      .filter((row) => !isSilent(row, row.resolved_at ?? row.seen_at))
      .map((row) => ({ key: `resolved ${row.id}`, message: resolvedMessage(row, left(row.name)) })),
  ];
  for (const notice of notices) await addNotice(trx, notice, channels);
}

function firingKey({ id, silentUntil }: Fired): string {
  // The silence ended in this transaction, so once.
  return silentUntil == null ? `firing ${id}` : `firing ${id} ${randomUUID()}`;
}

/** Each key once for each channel, for ever. */
export async function addNotice(
  db: Knex,
  { key, message }: { key: string; message: object },
  channels: readonly string[],
): Promise<void> {
  const rows = channels.map((channel) => ({ channel, key, message: jsonbText(message) }));
  if (rows.length > 0) await db('alert_notices').insert(rows).onConflict(['channel', 'key']).ignore();
}

function firingMessage(row: Fired): object {
  const { summary, silentUntil } = row;
  const detail = silentUntil == null ? row.detail : `It still fires, and its silence is over. ${row.detail}`;
  return { type: 'alert.firing', ...aboutOf(row), summary, detail, remedy: remedyOf(row) };
}

/** What it was, from when to when, and what is left to do: nothing of what was said while it fired. */
function resolvedMessage(row: AlertRow, left: string): object {
  const { since, seen_at: until } = row;
  const [from, to] = [since, until].map((at) => minuteOf(at.toISOString()));
  const lasted = duration(Math.max(0, (until.getTime() - since.getTime()) / 1_000));
  const detail = `It was so from ${from} to ${to} UTC, for ${lasted}.`;
  const remedy = left === '' ? 'Nothing is to be done.' : left;
  return { type: 'alert.resolved', ...aboutOf(row), summary: pastSummary(row.name), detail, remedy };
}

function aboutOf({ id: alertId, name, subject, severity, since, resolved_at }: AlertRow) {
  return {
    alertId,
    name,
    subject,
    severity,
    runbook: `docs/runbook.md#${conditionNamed(name)?.runbook ?? ''}`,
    since: since.toISOString(),
    resolvedAt: resolved_at?.toISOString() ?? null,
  };
}

/** Newest first, paged by key. Throws `CursorError`. */
export async function listAlerts(
  db: Knex,
  query: PageQuery &
    Filters<'status' | 'name' | 'severity'> & {
      /** Only those that were over since then. */
      resolvedFrom?: Date | undefined;
      /** Only those that fire or wait. */
      isOpen?: boolean;
      now?: Date;
    },
): Promise<Page<AlertView>> {
  const { status, resolvedFrom, isOpen = false, now } = query;
  const rows = db('alerts').where(given(query, 'name', 'severity'));
  if (resolvedFrom !== undefined) void rows.where('resolved_at', '>=', resolvedFrom);
  if (isOpen) void rows.whereNull('resolved_at');
  if (status !== undefined)
    void rows.whereRaw(
      "CASE WHEN resolved_at IS NOT NULL THEN 'resolved' WHEN fired_at IS NULL THEN 'pending' ELSE 'firing' END = ?",
      [status],
    );
  const isOver = await overNow(db, now);
  return pageById(rows, query, (row: AlertRow) => alertOf(row, isOver(row)));
}

/** `over`: its end is to come, and nobody sees it any more. */
export function alertOf(row: AlertRow, over: boolean): AlertView {
  const isPast = over || row.resolved_at !== null;
  return viewOf(alertShape, row, {
    isOver: over,
    silencedUntil: row.silenced_until?.toISOString() ?? null,
    status: row.resolved_at !== null ? 'resolved' : row.fired_at === null ? 'pending' : 'firing',
    summary: isPast ? pastSummary(row.name) : row.summary,
    detail: over ? overDetail(row.detail) : row.detail,
    // What asked for something while it fired asks for nothing any more.
    remedy: isPast ? '' : remedyOf(row),
    runbook: `docs/runbook.md#${conditionNamed(row.name)?.runbook ?? ''}`,
  });
}
