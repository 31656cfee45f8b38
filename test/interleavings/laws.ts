import type { Knex } from 'knex';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import { familyKinds } from '../../src/domain/family/links.js';
import type { Json } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import { recordTables } from '../../src/records/record-columns.js';
import { mergeRecord } from '../../src/records/saving/save-records.js';
import { type StoredRow, storedRecord } from '../../src/records/stored-record.js';
import { readEvent } from '../../src/webhook/observe-event.js';
import type { TestDatabase } from '../support/database.js';
import { everything, save, staleOrders } from '../support/saved.js';
import type { Notes } from './cast.js';
import type { Watch } from './watch.js';
import type { World } from './world.js';

/** What is wrong in the end; empty where nothing is. */
export async function judge(
  { together, alone }: Record<'together' | 'alone', TestDatabase>,
  { world, notes, watch }: { world: World; notes: Notes; watch: Watch },
): Promise<string[]> {
  const { db } = together;
  const { cast } = world;
  return [
    ...notes.breaches,
    ...(await eventsApplied(db, notes, watch)),
    ...(cast.has('reader') ? await feedFollowed(db, notes) : []),
    ...(await historyUnbroken(db)),
    ...(await markedForReading(db)),
    ...(cast.has('leaders') ? await runsClosed(db, world, { notes, watch }) : []),
    ...(cast.has('retirer') ? await secretRetired(db) : []),
    ...(await findStale(together)),
    ...(await differing({ together, alone }, world)),
  ];
}

/** A reading that shows the same again leaves an order as it is, with an older proof: that is no other order. */
export async function findStale(database: TestDatabase): Promise<string[]> {
  const stale = (await staleOrders(database)) as Record<'before' | 'after', Record<string, unknown>>[];
  const isOther = ({ before, after }: (typeof stale)[number]) =>
    Object.entries(after).some(
      ([name, value]) => name !== 'release_proven_at' && JSON.stringify(before[name]) !== JSON.stringify(value),
    );
  return stale.filter(isOther).map((order) => `a stale order: ${JSON.stringify(order)}`);
}

/** Each once, and none lost that was answered. */
async function eventsApplied(db: Knex, { answered }: Notes, { applied }: Watch): Promise<string[]> {
  const rows: { id: string; status: string; attempts: number }[] = await db('inbox').select('id', 'status', 'attempts');
  const known = new Set(rows.map(({ id }) => id));
  return [
    ...rows
      .filter(({ status, attempts }) => status !== 'applied' || attempts > 0)
      .map(({ id, status, attempts }) => `event ${id} is ${status} after ${attempts} attempts`),
    ...rows
      .filter(({ id }) => applied.get(id) !== 1)
      .map(({ id }) => `event ${id} was applied ${applied.get(id)} times`),
    ...[...answered].filter((id) => !known.has(id)).map((id) => `event ${id} was answered 200 and is lost`),
  ];
}

/** Each change once, in order. */
async function feedFollowed(db: Knex, { seen }: Notes): Promise<string[]> {
  const all: string[] = await db('changes').orderBy('seq').pluck('seq');
  return all.join() === seen.join() ? [] : [`of the changes ${all.join()} the reader has seen ${seen.join()}`];
}

/** Each change begins where the one before it ended, and ends elsewhere; of the lists of an order it says what left and what came. */
async function historyUnbroken(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { what: string }[] }>(
    `SELECT concat_ws(' ', entity_kind, entity_id, field, before, from_value, to_value) AS what FROM (
       SELECT *, lag(to_value) OVER story AS before, row_number() OVER story AS nth FROM changes
       WINDOW story AS (PARTITION BY entity_kind, entity_id, field ORDER BY seq)
     ) AS steps
     WHERE field NOT IN ('paymentIntents', 'invoices', 'refunds')
       AND (coalesce(from_value, 'null') = coalesce(to_value, 'null')
            OR (nth > 1 AND coalesce(before, 'null') <> coalesce(from_value, 'null')))`,
  );
  return rows.map(({ what }) => `a change that does not go on from the one before: ${what}`);
}

/** What is to be read, or is named and not known, is asked for. */
async function markedForReading(db: Knex): Promise<string[]> {
  const marks: { kind: string; id: string }[] = await db('reading_marks').select('kind', 'id');
  const marked = new Set(marks.map(({ kind, id }) => `${kind} ${id}`));
  const wanted: string[] = [];
  for (const kind of familyKinds) {
    const rows: StoredRow[] = await db(recordTables[kind]).select('*');
    const records = rows.map((row) => mergeRecord(kind, row.id, storedRecord(row), [], {}));
    wanted.push(...records.flatMap(({ id, shown }) => (shown.needsPoll ? [`${kind} ${id}`] : [])));
  }
  const named: string[] = await db('payins')
    .whereNotExists(db('payment_intents').whereRaw('payment_intents.id = payins.payment_intent_id'))
    .whereRaw("payment_intent_id <> ''")
    .pluck('payment_intent_id');
  return [...wanted, ...named.map((id) => `payment_intent ${id}`)]
    .filter((record) => !marked.has(record))
    .map((record) => `nobody is asked to read ${record}`);
}

/** One has succeeded, and none that was taken for dead rose again. One is left open only where something failed; the next one buries it. */
async function runsClosed(
  db: Knex,
  { failure }: World,
  { notes: { succeeded, lockLost }, watch: { orphaned } }: { notes: Notes; watch: Watch },
): Promise<string[]> {
  const runs: { id: string; status: string; error: string | null }[] = await db('runs').select('id', 'status', 'error');
  const mayBeOpen = failure !== null || lockLost;
  const isWrong = ({ id, status, error }: (typeof runs)[number]) =>
    orphaned.has(id) ? status !== 'aborted' || !/went away/.test(error ?? '') : status === 'running' && !mayBeOpen;
  return [
    ...(succeeded ? [] : ['no run succeeded']),
    ...runs.filter(isWrong).map(({ id, status, error }) => `run ${id} is ${status}: ${error}`),
  ];
}

/** Once, whoever counted its matches at the same time. */
async function secretRetired(db: Knex): Promise<string[]> {
  const retired = await db('secrets').where({ label: 'old' }).whereNotNull('retired_at');
  const actions = await db('actions').where({ action: 'retire secret' });
  return retired.length === 1 && actions.length === 1
    ? []
    : [`${retired.length} secrets are retired, by ${actions.length} actions`];
}

/** Records and their orders are those that one saver of the same observations makes of them. */
async function differing(
  { together, alone }: Record<'together' | 'alone', TestDatabase>,
  world: World,
): Promise<string[]> {
  const { rows } = await together.db.raw(
    `SELECT id, key, event_type AS type, event_timestamp AS timestamp, source, convert_from(body, 'UTF8') AS body,
       extract(epoch FROM received_at) * 1000 AS "receivedAt" FROM inbox ORDER BY id`,
  );
  const said: Observation[] = rows.flatMap((row: Parameters<typeof readEvent>[0]) => readEvent(row).observations);
  const all = [
    ...world.known,
    ...world.savers.flat(2),
    ...(world.cast.has('leaders') ? world.pages.flat() : []),
    ...said,
  ];
  if (all.length > 0) await save(alone, all);
  const [ours, theirs] = [await endOf(together), await endOf(alone)];
  return Object.keys(theirs).flatMap((id) =>
    ours[id] === theirs[id] ? [] : [`${id} is ${ours[id]}, and saved by one alone ${theirs[id]}`],
  );
}

/** Without what hangs on the way: what reports hold, and since when. */
async function endOf(database: TestDatabase): Promise<Record<string, string>> {
  const { orders, marks: _marks, breaks: _breaks, ...records } = await everything(database);
  const made = orders.flatMap(({ reference, payment_intents, invoices, refunds }) =>
    payment_intents.length + invoices.length === 0 ? [] : [{ id: reference, payment_intents, invoices, refunds }],
  );
  const all = Object.entries({ ...records, made }) as [string, { id: string }[]][];
  return Object.fromEntries(
    all.flatMap(([kind, rows]) => rows.map((row) => [`${kind} ${row.id}`, canonicalJson(row as unknown as Json)])),
  );
}
