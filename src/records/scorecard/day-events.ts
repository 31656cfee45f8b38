import type { Knex } from 'knex';
import { addTallies, type EventFacts, type Tally, tallyEvents } from '../../domain/scorecard/tally-events.js';
import { raw, rowsOf, sql } from '../database/statements.js';
import { firstIdSince } from '../inbox/minute-counts.js';

/** Two moments, ms. */
export interface Span {
  from: number;
  to: number;
}

const HOUR_MS = 3_600_000;

/**
 * The events of a day by what became of each. One that came counts on the day on which it came, whenever it was made, one that
 * did not on the day of its delivery, one that nobody made on the day on which that was found. Read by the hour.
 */
export async function tallyDay(db: Knex, { from, to }: Span, graceMs: number): Promise<Tally> {
  const tallies: Tally[] = [];
  let newestBefore = newestOf(await eventsThatCame(db, { from: from - HOUR_MS, to: from }), null);
  for (let hour = from; hour < to; hour += HOUR_MS) {
    const came = await eventsThatCame(db, { from: hour, to: Math.min(hour + HOUR_MS, to) });
    tallies.push(tallyEvents(came, { graceMs, newestBefore }));
    newestBefore = newestOf(came, newestBefore);
  }
  const lost = [...(await eventsThatDidNot(db, { from, to })), ...(await eventsNeverMade(db, { from, to }))];
  return addTallies([...tallies, tallyEvents(lost, { graceMs, newestBefore: null })]);
}

function newestOf(events: readonly EventFacts[], before: number | null): number | null {
  let newest = before;
  for (const { madeAt, isForged } of events)
    if (!isForged && madeAt !== null) newest = Math.max(madeAt, newest ?? madeAt);
  return newest;
}

interface CameRow {
  key: string;
  eventType: string;
  receivedAt: Date;
  madeAt: Date | null;
  stampedAt: number;
  isRepeated: boolean;
  isForged: boolean;
}

/** Webhooks, but for test events of our own. Its delivery says when it was made, or else its own time does, to the second. */
async function eventsThatCame(db: Knex, { from, to }: Span): Promise<EventFacts[]> {
  const first = await firstIdSince(db, new Date(from));
  if (first === null) return [];
  const end = await firstIdSince(db, new Date(to + 120_000));
  const rows = await rowsOf<CameRow>(db)`
    SELECT id AS key, event_type AS "eventType", received_at AS "receivedAt", event_timestamp AS "stampedAt",
      (SELECT min(created_at) FROM deliveries WHERE inbox_id = inbox.id) AS "madeAt",
      arrivals > 1 AND EXISTS (SELECT FROM inbox_arrivals WHERE inbox_id = inbox.id AND arrivals > 1) AS "isRepeated",
      EXISTS (SELECT FROM report_checks WHERE inbox_id = inbox.id AND state = 'not_sent') AS "isForged"
    FROM inbox WHERE id >= ${first}::bigint AND ${end === null ? raw('true') : sql`id < ${end}::bigint`}
      AND received_at >= ${new Date(from)} AND received_at < ${new Date(to)} AND source = 'webhook' AND mark IS NULL`;
  return rows.map(({ key, eventType, receivedAt, madeAt, stampedAt, isRepeated, isForged }) => ({
    key,
    eventType,
    receivedAt: receivedAt.getTime(),
    madeAt: madeAt?.getTime() ?? Math.floor(stampedAt * 1_000),
    isRepeated,
    isForged,
    why: 'missed',
  }));
}

const WHY = `CASE class WHEN 'pending_retry' THEN 'under_way' WHEN 'rejected' THEN 'rejected' ELSE 'missed' END`;
const LACKING = `class IN ('pending_retry', 'rejected', 'never_reached', 'phantom', 'unrecoverable')`;
const EVENT = `coalesce(event_key, content_hash, id)`;

type LostRow = Pick<EventFacts, 'key' | 'eventType' | 'why'>;

/** Deliveries to us whose event no webhook brought, also where it was recovered; those of one event have one key. */
async function eventsThatDidNot(db: Knex, { from, to }: Span): Promise<EventFacts[]> {
  const rows = await rowsOf<LostRow>(db)`
    SELECT ${raw(EVENT)} AS key, coalesce(event_type, '') AS "eventType", ${raw(WHY)} AS why FROM deliveries
    WHERE ours AND ${raw(LACKING)} AND created_at >= ${new Date(from)} AND created_at < ${new Date(to)}
      AND NOT EXISTS (SELECT FROM inbox WHERE inbox.id = inbox_id AND source = 'webhook')
      AND NOT EXISTS (
        SELECT FROM deliveries AS older WHERE older.event_key = deliveries.event_key AND older.created_at < ${new Date(from)}
          AND older.ours AND older.${raw(LACKING)})`;
  return rows.map(asLost);
}

/** Once a person decided about one it still counts; one that came to be known after all does not. */
async function eventsNeverMade(db: Knex, { from, to }: Span): Promise<EventFacts[]> {
  const rows = await rowsOf<Omit<LostRow, 'why'>>(db)`
    SELECT 'never ' || entity_id AS key, coalesce(split_part(cause, ' ', 1), '') AS "eventType" FROM breaks
    WHERE kind = 'event_never_generated' AND status <> 'auto_resolved'
      AND opened_at >= ${new Date(from)} AND opened_at < ${new Date(to)}`;
  return rows.map((row) => asLost({ ...row, why: 'never_generated' }));
}

function asLost({ key, eventType, why }: LostRow): EventFacts {
  return { key, eventType, why, madeAt: null, receivedAt: null, isRepeated: false, isForged: false };
}
