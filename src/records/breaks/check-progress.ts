import type { Knex } from 'knex';
import type { IdentityEvidence } from '../../domain/breaks/fee-identity.js';
import type { EntityRef, RecordKind } from '../../domain/records.js';
import { jsonbText } from '../database/database-text.js';
import { rowsOf, run, type Trx, tableOf } from '../database/statements.js';
import { asColumns } from '../database/view-of.js';

const KIND = 'cross-check';
const NAME = 'changes';

/**
 * How far the feed of changes is cross-checked. Holds the watermark until the end of the transaction, so that of two that check
 * at once one waits for the other.
 */
export async function lockCheckWatermark(trx: Trx): Promise<string> {
  const held = await lockedWatermark(trx);
  if (held !== null) return held;
  await run(trx)`
    INSERT INTO watermarks (kind, name, value) VALUES (${KIND}, ${NAME}, '{"seq": "0"}') ON CONFLICT DO NOTHING`;
  return (await lockedWatermark(trx)) ?? '0';
}

async function lockedWatermark(trx: Trx): Promise<string | null> {
  const row = await trx<{ kind: string; name: string; value: { seq?: string } }>('watermarks')
    .where({ kind: KIND, name: NAME })
    .forUpdate()
    .first('value');
  return row === undefined ? null : (row.value.seq ?? '0');
}

export async function moveCheckWatermark(trx: Trx, seq: string): Promise<void> {
  await trx('watermarks')
    .where({ kind: KIND, name: NAME })
    .update({ value: jsonbText({ seq }), updated_at: trx.fn.now() });
}

/** How far all records of a kind are gone round. `after`: the id of the last; null: the round is over. `beganAt`: ms. */
export interface Round {
  after: string | null;
  beganAt: number;
}

const ROUND = 'round ';

/** By the kind of record. */
export async function readRounds(db: Knex): Promise<Map<string, Round>> {
  const rows = await rowsOf<{ name: string; value: Round }>(db)`
    SELECT name, value FROM watermarks WHERE kind = ${KIND} AND name LIKE ${`${ROUND}%`}`;
  return new Map(rows.map(({ name, value }) => [name.slice(ROUND.length), value]));
}

export async function moveRound(trx: Trx, record: RecordKind, round: Round): Promise<void> {
  const value = jsonbText({ ...round });
  await trx('watermarks')
    .insert({ kind: KIND, name: `${ROUND}${record}`, value })
    .onConflict(['kind', 'name'])
    .merge({ value, updated_at: trx.fn.now() });
}

export interface ChangedEntities {
  entities: EntityRef[];
  /** The place in the feed up to where these are all that changed. */
  upTo: string;
  /** There may be more of them than were asked for. */
  more: boolean;
}

/** The place in the feed of changes up to where no open transaction may still add to it; null: nothing is to be checked. */
export async function settledChanges(db: Knex, now: Date): Promise<string | null> {
  const rows = await rowsOf<{ bound: string; any: boolean }>(db)`
    SELECT bound, EXISTS (SELECT FROM check_agenda WHERE due_at <= ${now}) OR EXISTS (
      SELECT FROM changes WHERE seq <= bound AND seq > coalesce(
        (SELECT (value->>'seq')::bigint FROM watermarks WHERE kind = ${KIND} AND name = ${NAME}), 0)) AS any
    FROM (SELECT changes_settled_up_to() AS bound) AS settled`;
  const [found] = rows;
  return found?.any ? found.bound : null;
}

/** What changed between two places of the feed, the second of them settled; of so many changes at most. */
export async function changedEntities(
  trx: Trx,
  { after, settled }: { after: string; settled: string },
  limit: number,
): Promise<ChangedEntities> {
  const rows = await rowsOf<{ kind: EntityRef['kind']; id: string; seq: string; count: string }>(trx)`
    SELECT entity_kind AS kind, entity_id AS id, max(seq) AS seq, count(*) AS count FROM (
      SELECT entity_kind, entity_id, seq FROM changes WHERE seq > ${after} AND seq <= ${settled} ORDER BY seq LIMIT ${limit}
    ) AS part GROUP BY entity_kind, entity_id`;
  const upTo = rows.reduce((most, { seq }) => (BigInt(seq) > BigInt(most) ? seq : most), after);
  const more = rows.reduce((sum, { count }) => sum + Number(count), 0) >= limit;
  return { entities: rows.map(({ kind, id }) => ({ kind, id })), upTo, more };
}

/** What the agenda has for now, the longest waiting first. */
export async function dueChecks(trx: Trx, now: Date, limit: number): Promise<EntityRef[]> {
  const rows = await trx<{ entity_kind: EntityRef['kind']; entity_id: string; due_at: Date }>('check_agenda')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit);
  return rows.map((row) => ({ kind: row.entity_kind, id: row.entity_id }));
}

/** What was checked leaves the agenda, but for what is to be checked again: at the earliest of its times, ms. */
export async function planChecks(
  trx: Trx,
  checked: readonly EntityRef[],
  again: readonly { entity: EntityRef; at: number }[],
): Promise<void> {
  await run(trx)`
    DELETE FROM check_agenda AS planned USING ${tableOf('checked', checked, { kind: 'text', id: 'text' })}
    WHERE planned.entity_kind = checked.kind AND planned.entity_id = checked.id`;
  if (again.length === 0) return;
  const given = tableOf('new', again, {
    kind: ['text', ({ entity }) => entity.kind],
    id: ['text', ({ entity }) => entity.id],
    at: 'float8',
  });
  await run(trx)`
    INSERT INTO check_agenda AS planned (entity_kind, entity_id, due_at)
    SELECT kind, id, to_timestamp(min(at) / 1000.0) FROM ${given} GROUP BY kind, id
    ON CONFLICT (entity_kind, entity_id) DO UPDATE SET due_at = least(planned.due_at, excluded.due_at)`;
}

export async function readEvidence(trx: Knex): Promise<IdentityEvidence[]> {
  return rowsOf<IdentityEvidence>(trx)`
    SELECT identity, held_by AS "heldBy", failed_by AS "failedBy",
           floor(extract(epoch FROM proven_at) * 1000)::float8 AS "provenAt"
    FROM identity_evidence ORDER BY identity`;
}

/** What was learned of an identity is forgotten: it is observed again, as on the first day. Whether anything was. */
export async function forgetIdentity(trx: Trx, identity: string): Promise<boolean> {
  return (await trx('identity_evidence').where({ identity }).delete()) > 0;
}

/** Those that are other than `known`. */
export async function writeEvidence(
  trx: Trx,
  evidence: readonly IdentityEvidence[],
  known: readonly IdentityEvidence[],
): Promise<void> {
  const changed = evidence.filter((about) => !known.includes(about));
  if (changed.length === 0) return;
  const rows = changed.map((one) =>
    asColumns({ ...one, provenAt: one.provenAt === null ? null : new Date(one.provenAt) }),
  );
  await trx('identity_evidence').insert(rows).onConflict('identity').merge();
}
