import type { Knex } from 'knex';
import { canonicalHash, sameJson } from '../../domain/canonical-json.js';
import { grouped } from '../../domain/grouped.js';
import {
  fromJsonText,
  type Json,
  type JsonObject,
  objectFromJsonText,
  ownField,
  toJsonText,
} from '../../domain/json.js';
import { MASK, replacePersonal } from '../../domain/personal.js';
import { type RecordKind, recordRules } from '../../domain/records.js';
import { movingKinds } from '../balances/balance-records.js';
import { ASSIGNED, DIGEST, REPORTED, WHOLE_RECORD } from '../changes.js';
import { columnOf, raw, rowsOf } from '../database/statements.js';
import { ORDER_STATE, type OrderState } from '../order-row.js';
import { partsOf } from '../orders/order-follow-up.js';
import { recordTables } from '../record-columns.js';
import { type StoredRecord, type StoredRow, storedRecord } from '../stored-record.js';
import { findingOf, type ReportFinding } from './verify-head.js';

const AT_ONCE = 500;
const POLLED = raw(
  `id, poll_hash, settled, masked, poll, poll_from, poll_to, poll_by, poll_ref, claims, shown, verified, absent_since`,
);
const provenKinds = [...movingKinds, 'invoice'] as const;
/** Of an order; the rest follows from its records alone. */
const ORDERED = ['status', 'release', 'expected'] as const;

interface ChangeRow {
  id: string;
  field: string;
  from: string | null;
  to: string | null;
}

/**
 * Each of these records says what its changes, which are sealed, made of it, and each change goes on from the one before; what a poll showed is
 * what the next poll is compared with. Fields that speak of a person are left out: of these the changes have digests, and a record may be masked.
 */
export async function verifyRecords(
  db: Knex,
  kind: RecordKind,
  ids: readonly string[],
  reportFinding: ReportFinding,
): Promise<void> {
  const rows = await rowsOf<StoredRow>(db)`
    SELECT ${POLLED} FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[]) ORDER BY id`;
  const changes = await rowsOf<ChangeRow>(db)`
    SELECT entity_id AS id, field, from_value AS from, to_value AS to FROM changes
    WHERE entity_kind = ${kind} AND entity_id = ANY (${ids}::text[]) AND field NOT IN (${REPORTED}, ${ASSIGNED}) ORDER BY entity_id, seq`;
  const known = grouped(changes, ({ id }) => id);
  for (const row of rows) {
    const differing = differingFields(kind, row, known.get(row.id) ?? []);
    if (differing.length === 0) continue;
    const message = `${kind} ${row.id} is not what its sealed changes made of it: ${differing.join(', ')}`;
    reportFinding(findingOf('record_changed', message, { log: recordTables[kind], from: row.id, rows: 1 }));
  }
}

/** What is derived of each order from its records and its registration is what its sealed changes say. */
export async function verifyOrders(db: Knex, reportFinding: ReportFinding): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await rowsOf<OrderState & { said: Record<string, string> | null; unlike: boolean | null }>(db)`
      SELECT ${raw(ORDER_STATE)}, (SELECT jsonb_object_agg(field, to_value) FROM (
        SELECT DISTINCT ON (field) field, to_value FROM changes WHERE entity_kind = 'order' AND entity_id = reference AND field = ANY (${ORDERED}::text[])
        ORDER BY field, seq DESC) AS newest) AS said
        , (SELECT (amount, currency) IS DISTINCT FROM (expected_amount, expected_currency) FROM order_registrations AS registered
          WHERE registered.reference = orders.reference ORDER BY id DESC LIMIT 1) AS unlike
      FROM orders WHERE reference > ${after} ORDER BY reference LIMIT ${AT_ONCE}`;
    for (const { said, unlike, ...row } of rows) {
      const fields = ORDERED.filter((field) => (said?.[field] ?? 'null') !== partsOf[field](row));
      const other = unlike === true ? [...fields, 'registration'] : fields;
      if (other.length === 0) continue;
      const message = `order ${row.reference} is not what its sealed changes made of it: ${other.join(', ')}`;
      reportFinding(findingOf('record_changed', message, { log: 'orders', from: row.reference, rows: 1 }));
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.reference;
  }
}

/** What is shown of each balance is what the next poll is compared with. */
export async function verifyBalancePolls(db: Knex, reportFinding: ReportFinding): Promise<void> {
  for (const row of await rowsOf<StoredRow>(db)`SELECT ${POLLED} FROM balances ORDER BY id`) {
    if (unlikePoll('balance', storedRecord(row)).length === 0) continue;
    const message = `balance ${row.id} is not what its newest poll showed`;
    reportFinding(findingOf('record_changed', message, { log: 'balances', from: row.id, rows: 1 }));
  }
}

export async function verifyInvoices(db: Knex, reportFinding: ReportFinding): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await columnOf<string>(db)`SELECT id FROM invoices WHERE id > ${after} ORDER BY id LIMIT ${AT_ONCE}`;
    const last = ids.at(-1);
    if (last === undefined) return;
    await verifyRecords(db, 'invoice', ids, reportFinding);
    after = last;
  }
}

/** What has changes is there. */
export async function verifyGone(db: Knex, reportFinding: ReportFinding): Promise<void> {
  for (const kind of [...provenKinds, 'order'] as const) {
    const [table, key] = kind === 'order' ? ['orders', 'reference'] : [recordTables[kind], 'id'];
    const ids = await columnOf<string>(db)`
      SELECT DISTINCT entity_id FROM changes WHERE entity_kind = ${kind} AND NOT EXISTS (
        SELECT FROM ${raw(table)} WHERE ${raw(key)} = entity_id) ORDER BY 1 LIMIT 100`;
    for (const id of ids) {
      const message = `${kind} ${id} is not there, and its sealed changes are`;
      reportFinding(findingOf('record_changed', message, { log: table, from: id, rows: 1 }));
    }
  }
}

function differingFields(kind: RecordKind, row: StoredRow, changes: readonly ChangeRow[]): string[] {
  const record = storedRecord(row);
  if (changes.length === 1 && changes[0]?.to === wholeText(record)) return unlikePoll(kind, record);
  const own = { ...record.fields, verified: record.verified, absent: record.absentSince !== null };
  const { fields, broken } = fold(kind, changes);
  // What is first heard of as absent has no change that says so.
  fields['absent'] ??= record.state.poll?.fields === null && own.absent;
  const names = new Set([...Object.keys(own), ...Object.keys(fields)]);
  const other = [...names].filter((name) => !isSame(kind, name, ownField(own, name), ownField(fields, name)));
  return [...new Set([...other, ...broken, ...unlikePoll(kind, record)])];
}

/** As the one change of a record that stayed as it was first shown; null: it is known to be listed no more. */
function wholeText({ text, verified, absentSince }: StoredRecord): string | null {
  return absentSince === null ? `${text.slice(0, -1)},"verified":${verified}}` : null;
}

/** `broken`: fields that a change says were something else before than the one before it left them at. */
function fold(kind: RecordKind, changes: readonly ChangeRow[]): { fields: JsonObject; broken: string[] } {
  let fields: JsonObject = {};
  const broken: string[] = [];
  for (const { field, from, to } of changes) {
    if (field === WHOLE_RECORD) {
      fields = objectFromJsonText(to ?? '{}');
      continue;
    }
    const before = field === 'absent' ? (ownField(fields, field) ?? valueOf(from)) : ownField(fields, field);
    if (!isSame(kind, field, valueOf(from), before)) broken.push(field);
    fields[field] = valueOf(to);
  }
  return { fields, broken };
}

const valueOf = (text: string | null): Json => (text === null ? null : fromJsonText(text));

/** A field that is not there is null. What is masked, or of which only a digest is there, can't be compared. */
function isSame(kind: RecordKind, name: string, one: Json = null, other: Json = null): boolean {
  return sameJson(one, other) || [one, other].some((value) => isOfPerson(kind, name, value));
}

function isOfPerson(kind: RecordKind, name: string, value: Json): boolean {
  if (replacePersonal(kind, name, value, () => MASK) !== value) return true;
  const text = toJsonText(value);
  return text.includes(MASK) || text.includes(DIGEST);
}

/** What no poll would bring to light: fields of the poll that are not what is shown, and a hash that is not theirs. */
function unlikePoll(kind: RecordKind, { state: { poll }, fields, verified }: StoredRecord): string[] {
  if (poll === null || poll.fields === null) return [];
  const polled = Object.entries(poll.fields);
  const other =
    verified && poll.fields !== fields ? polled.filter(([name, value]) => !isShown(kind, name, value, fields)) : [];
  return [...other.map(([name]) => name), ...(canonicalHash(poll.fields) === poll.hash ? [] : ['hash of the poll'])];
}

/** What a list leaves empty our own call or the history may have said. */
function isShown(kind: RecordKind, name: string, value: Json, shown: JsonObject): boolean {
  return (
    sameJson(value, ownField(shown, name)) ||
    ((value === null || value === '') && recordRules[kind].kept.includes(name))
  );
}
