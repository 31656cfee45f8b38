import type { Knex } from 'knex';
import { emptyState } from '../../domain/record-state.js';
import { type RecordKind, recordKinds } from '../../domain/records.js';
import { prepared } from '../database/statements.js';
import { recordTables, type WrittenColumn, writtenColumns } from '../record-columns.js';
import type { MergedRecord } from '../stored-record.js';

interface Statements {
  columns: WrittenColumn[];
  insertOrLock: string;
  update: string;
}

const statements = new Map(recordKinds.map((kind) => [kind, statementsOf(kind)]));

/**
 * Inserts records of which no row was seen, and locks the rows of `known` ids and of those that somebody else inserted
 * meanwhile. All in one pass in the order of ids: savers of overlapping sets wait for one another, never in a circle.
 * Returns the ids that were inserted.
 */
export async function insertOrLock(
  trx: Knex.Transaction,
  kind: RecordKind,
  records: MergedRecord[],
  known: string[],
): Promise<Set<string>> {
  const { columns, insertOrLock } = statements.get(kind) ?? statementsOf(kind);
  // The rows of known ids are there: these values are never inserted.
  const placeholders = known.map((id) => placeholder(kind, id));
  const given = arraysOf(columns, [...records, ...placeholders]);
  const name = `insert ${recordTables[kind]}`;
  // Begun in this moment: what is sent together with it comes behind its locks.
  return prepared<{ rows: { id: string }[] }>(trx, name, insertOrLock, given).then(
    ({ rows }) => new Set(rows.map((row) => row.id)),
  );
}

/** Writes what became of locked rows. */
export async function updateRecords(trx: Knex.Transaction, kind: RecordKind, records: MergedRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { columns, update } = statements.get(kind) ?? statementsOf(kind);
  await trx.raw(update, arraysOf(columns, records));
}

function statementsOf(kind: RecordKind): Statements {
  const columns = writtenColumns(kind);
  const names = columns.map((column) => column.name);
  const values = columns.map((column) => column.read(`new.${column.name}`));
  const input = `unnest(${columns.map((column) => `?::${column.travels}[]`).join(', ')}) AS new (${names.join(', ')})`;
  const assignments = names.flatMap((name, index) => (name === 'id' ? [] : [`${name} = ${values[index]}`]));
  return {
    columns,
    insertOrLock: `INSERT INTO ${recordTables[kind]} (${names.join(', ')})
      SELECT ${values.join(', ')} FROM ${input} ORDER BY new.id
      ON CONFLICT (id) DO UPDATE SET id = excluded.id WHERE false RETURNING id`,
    update: `UPDATE ${recordTables[kind]} AS record SET ${assignments.join(', ')} FROM ${input} WHERE record.id = new.id`,
  };
}

function arraysOf(columns: WrittenColumn[], records: MergedRecord[]): Buffer[] {
  return columns.map((column) => column.encode(records));
}

function placeholder(kind: RecordKind, id: string): MergedRecord {
  return {
    kind,
    id,
    before: null,
    state: emptyState,
    shown: {
      fields: {},
      reported: null,
      known: false,
      ownCall: null,
      doubted: false,
      verified: false,
      verifiedAt: null,
      absent: false,
      needsPoll: false,
      observedAt: 0,
      observedBy: { type: 'poll', ref: '' },
    },
    text: '{}',
    reported: null,
    absentSince: null,
    changedFields: [],
    changed: false,
    said: [],
    cause: { source: { type: 'poll', ref: '' }, at: 0 },
  };
}
