import {
  type DisputeSeen,
  type DisputeStage,
  disputeFields,
  disputeSeen,
  type ShownStep,
  stagesBefore,
} from '../../domain/books/dispute-seen.js';
import type { BookRecord, Moved } from '../../domain/books/entry.js';
import { grouped } from '../../domain/grouped.js';
import { fromJsonText } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import { type MovingKind, type MovingRecord, readMoving } from '../balances/balance-records.js';
import { WHOLE_RECORD } from '../changes.js';
import { raw, rowsOf, type Trx } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { openedAssets } from './openings.js';

/** What showed a record as it stands. */
export interface ObservedBy {
  type: string;
  ref: string;
  at: string;
}

export type ReadRecord = BookRecord & { observedBy: ObservedBy };

/** Records as the service's own lists showed them, with what they did to balances and what of that stood at the openings. */
export async function readBookRecords(trx: Trx, kind: MovingKind, ids: readonly string[]): Promise<ReadRecord[]> {
  if (ids.length === 0) return [];
  const records = await readMoving(trx, kind, ids);
  const moved = await readMoved(trx, kind, ids);
  const observed = await readObserved(trx, kind, ids);
  const disputes = kind === 'payment_intent' ? await readDisputed(trx, records) : new Map<string, Dispute>();
  return records.map(({ key, record, firstSeenAt }) => ({
    kind,
    id: key,
    fields: record?.fields ?? null,
    firstSeenAt: firstSeenAt.getTime(),
    moved: moved.get(key) ?? [],
    dispute: disputes.get(key) ?? null,
    observedBy: observed.get(key) ?? { type: 'poll', ref: '', at: firstSeenAt.toISOString() },
  }));
}

type Dispute = NonNullable<BookRecord['dispute']>;

async function readDisputed(trx: Trx, records: readonly MovingRecord[]): Promise<Map<string, Dispute>> {
  const ids = records.map(({ key }) => key);
  const seen = await readDisputes(trx, ids);
  if (seen.size === 0) return new Map();
  const opened = await openedAssets(trx);
  return new Map(
    records.flatMap(({ key, record }) => {
      const dispute = seen.get(key);
      const asset = record === null ? null : textField(record.fields, 'assetCode');
      return dispute === undefined ? [] : [[key, { ...dispute, booksOpenedAt: opened.get(asset ?? '') ?? null }]];
    }),
  );
}

async function readMoved(trx: Trx, kind: MovingKind, ids: readonly string[]): Promise<Map<string, Moved[]>> {
  const rows = await rowsOf<Omit<Moved, 'at'> & { record_id: string; at: Date | null }>(trx)`
    SELECT record_id, part, operation, account_id AS account, asset_code AS "assetCode", trim_scale(delta)::text AS delta,
           trim_scale(base)::text AS base, at
    FROM movements WHERE record_kind = ${kind} AND record_id = ANY (${ids}::text[]) ORDER BY record_id, line`;
  const found = new Map<string, Moved[]>();
  for (const { record_id: id, at, ...row } of rows)
    found.set(id, [...(found.get(id) ?? []), { ...row, at: at?.toISOString() ?? null }]);
  return found;
}

async function readObserved(trx: Trx, kind: MovingKind, ids: readonly string[]): Promise<Map<string, ObservedBy>> {
  const rows = await rowsOf<{ id: string; type: string; ref: string; at: Date }>(trx)`
    SELECT id, observed_by_type AS type, observed_by_ref AS ref, observed_at AS at
    FROM ${raw(recordTables[kind])} WHERE id = ANY (${ids}::text[])`;
  return new Map(rows.map(({ id, at, ...row }) => [id, { ...row, at: at.toISOString() }]));
}

interface Row {
  id: string;
  save: string;
  field: string;
  from_value: string | null;
  to_value: string | null;
  at: Date;
}

type Seen = DisputeSeen & { stages: DisputeStage[] };

/** What the history of changes shows of the disputes of payments: of those that are in one, and of those that ever were. */
async function readDisputes(trx: Trx, ids: readonly string[]): Promise<Map<string, Seen>> {
  const rows = await rowsOf<Row>(trx)`
    SELECT entity_id AS id, changes.xid::text AS save, field, from_value, to_value, coalesce(service_time, changed_at) AS at
    FROM (
      SELECT id FROM payment_intents WHERE id = ANY (${ids}::text[]) AND (irregular_status <> 'none' OR EXISTS (
        SELECT FROM changes WHERE entity_kind = 'payment_intent' AND entity_id = id AND field = 'irregularStatus'))
    ) AS record CROSS JOIN LATERAL (
      SELECT * FROM changes WHERE entity_kind = 'payment_intent' AND entity_id = record.id OFFSET 0
    ) AS changes
    WHERE field = ANY (${[WHOLE_RECORD, ...disputeFields]}::text[]) ORDER BY seq`;
  const found = [...grouped(rows, ({ id }) => id)].flatMap(([id, own]) => {
    const steps = own.map(stepOf);
    const seen = disputeSeen(steps);
    return seen === null ? [] : [[id, { ...seen, stages: stagesBefore(steps) }] as const];
  });
  return new Map(found);
}

function stepOf({ save, field, from_value, to_value, at }: Row): ShownStep {
  const valueOf = (text: string | null) => (text === null ? null : fromJsonText(text));
  const isWhole = field === WHOLE_RECORD;
  return { save, field: isWhole ? null : field, from: valueOf(from_value), to: valueOf(to_value), at: at.getTime() };
}
