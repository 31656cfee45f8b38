import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import { type Effect, effectsOf, operationsWith } from '../../domain/balances/movements.js';
import { canonicalHash } from '../../domain/canonical-json.js';
import { isZero, sameAmount } from '../../domain/money.js';
import { instantText } from '../../domain/service-time.js';
import { feedHead } from '../changes.js';
import { rowsOf, run, type Trx, tableOf, valueOf } from '../database/statements.js';
import { type MovingKind, type MovingRecord, movingKinds, readMoving, refundsNamed } from './balance-records.js';

const CHANGES_AT_ONCE = 5_000;

interface Progress {
  seq: string;
  renewing_to: string;
  contract: string;
}

/**
 * Brings the movements up to date with the records, by the history of changes: what a record does now takes the place of
 * what it did when it was read last. Another table of the contract begins from the first change. Returns how many
 * records were read.
 */
export async function workInMovements(db: Knex, table: MovementTable): Promise<number> {
  const contract = canonicalHash(JSON.parse(JSON.stringify(table)));
  const bound = BigInt(await feedHead(db));
  let read = 0;
  for (;;) {
    const done = await db.transaction((trx) => workInBatch(trx, { table, contract, bound }));
    read += done.records;
    if (done.seq >= bound) return read;
  }
}

async function workInBatch(
  trx: Trx,
  { table, contract, bound }: { table: MovementTable; contract: string; bound: bigint },
): Promise<{ seq: bigint; records: number }> {
  const known = await lockProgress(trx, contract);
  const isOther = known.contract !== contract;
  const renewingTo = BigInt(isOther ? maxOf(known.seq, known.renewing_to) : known.renewing_to);
  const after = isOther ? 0n : BigInt(known.seq);
  const renewing = after < renewingTo;
  const end = await valueOf<string | null>(trx)`
    SELECT max(seq) AS seq FROM (SELECT seq FROM changes WHERE seq > ${String(after)} AND seq <= ${String(bound)} ORDER BY seq LIMIT ${CHANGES_AT_ONCE}) AS batch`;
  const seq = end === null ? (bound > after ? bound : after) : BigInt(end);
  const rows = await rowsOf<{ entity_kind: MovingKind; entity_id: string }>(trx)`
    SELECT DISTINCT entity_kind, entity_id FROM changes WHERE seq > ${String(after)} AND seq <= ${String(seq)} AND entity_kind = ANY (${movingKinds}::text[])`;
  let records = 0;
  for (const kind of movingKinds) {
    const ids = rows.filter((row) => row.entity_kind === kind).map((row) => row.entity_id);
    // What a refund debits hangs on whether a payment names it as its dispute's.
    const also = kind === 'payout' ? await refundsNamed(trx, { after: String(after), until: String(seq) }) : [];
    records += await workInRecords(trx, { table, renewing }, kind, [...new Set([...ids, ...also])]);
  }
  await trx('movements_progress').update({ seq: String(seq), renewing_to: String(renewingTo), contract });
  return { seq, records };
}

/** One worker at a time. */
async function lockProgress(trx: Trx, contract: string): Promise<Progress> {
  await trx('movements_progress').insert({ contract }).onConflict('only_one').ignore();
  const row = await trx<Progress>('movements_progress').forUpdate().first();
  if (row === undefined) throw new Error('the row of the progress is gone');
  return row;
}

async function workInRecords(
  trx: Trx,
  { table, renewing }: { table: MovementTable; renewing: boolean },
  kind: MovingKind,
  ids: readonly string[],
): Promise<number> {
  const records = await readMoving(trx, kind, ids);
  const effects = records.map((record): Worked => {
    if (record.record === null) return { ...record, effects: [], operations: null };
    return { ...record, effects: effectsOf(record.record, table), operations: operationsWith(record.record, table) };
  });
  await writeEffects(trx, kind, effects, renewing);
  return records.length;
}

const maxOf = (a: string, b: string): string => (BigInt(a) > BigInt(b) ? a : b);

/** `operations`: all that the record may stand for, whether or not they move something; null: that is not known. */
type Worked = MovingRecord & { effects: Effect[]; operations: readonly string[] | null };

interface Line {
  record_id: string;
  line: number;
  part: string;
  operation: string | null;
  account_id: string | null;
  asset_code: string | null;
  delta: string | null;
  base: string | null;
  at: Date | null;
  why: string | null;
  limits: string | null;
  moved_from: string;
}

interface Opening {
  at: number;
  openedAt: number;
}

/** More than the times of movements and of the balance's poll will be apart from one another. */
const MARGIN_MS = 5 * 60_000;

/**
 * Puts what records do now in the place of what they did. What stays as it was keeps the poll that brought it.
 * `renewing`: the records are the same, the contract's table is another.
 */
async function writeEffects(trx: Trx, kind: MovingKind, records: readonly Worked[], renewing: boolean): Promise<void> {
  if (records.length === 0) return;
  const keys = records.map(({ key }) => key);
  const rows = await rowsOf<Line>(trx)`
    SELECT record_id, line, part, operation, account_id, asset_code, trim_scale(delta)::text AS delta,
           trim_scale(base)::text AS base, at, why, trim_scale(limits)::text AS limits, moved_from
    FROM movements WHERE record_kind = ${kind} AND record_id = ANY (${keys}::text[])`;
  const openings = await readOpenings(trx, records);
  const lines = records.flatMap((record) => {
    const before = rows.filter((row) => row.record_id === record.key);
    return linesOf(record, before, { openings, renewing });
  });
  await run(trx)`DELETE FROM movements WHERE record_kind = ${kind} AND record_id = ANY (${keys}::text[])`;
  await insertLines(trx, kind, lines);
}

async function readOpenings(trx: Trx, records: readonly Worked[]): Promise<Map<string, Opening>> {
  const assets = records.flatMap(({ effects }) => effects.flatMap(({ assetCode }) => assetCode ?? []));
  const rows = await rowsOf<{ asset: string; at: Date; opened: Date }>(trx)`
    SELECT asset_code AS asset, opening_at AS at, opened_at AS opened FROM balance_proofs
    WHERE asset_code = ANY (${assets}::text[]) AND opening_at IS NOT NULL`;
  return new Map(rows.map(({ asset, at, opened }) => [asset, { at: at.getTime(), openedAt: opened.getTime() }]));
}

function linesOf(
  record: Worked,
  before: Line[],
  { openings, renewing }: { openings: Map<string, Opening>; renewing: boolean },
): Line[] {
  const left = [...before];
  const change: Change = renewing
    ? 'by_another_table'
    : before.some((old) => isReread(record, old))
      ? 'otherwise'
      : 'on';
  const lines = record.effects.map((effect, line): Line => {
    const asset = effect.assetCode;
    const account = effect.account;
    const same = (old: Line) =>
      old.operation === effect.operation && old.asset_code === asset && old.part !== 'unclear';
    const exact = left.findIndex((old) => same(old) && old.part === effect.part);
    const at = exact < 0 ? left.findIndex(same) : exact;
    const old = at < 0 ? undefined : left.splice(at, 1)[0];
    const isSame = old !== undefined && old.account_id === account && sameAmount(old.delta, effect.delta);
    const opening = openings.get(asset ?? '');
    return {
      record_id: record.key,
      line,
      part: effect.part,
      operation: effect.operation,
      account_id: account,
      asset_code: asset,
      delta: effect.delta,
      base: old === undefined ? baseOf(record, effect, opening, change) : carried(old, effect, change),
      at: timeOf(effect.at),
      why: effect.why,
      limits: effect.limit,
      moved_from: isSame ? old.moved_from : String(Math.floor(record.from)),
    };
  });
  const rest = left.flatMap((old) => {
    const delta = restOf(record, old, change);
    return delta === null ? [] : [{ old, delta }];
  });
  return [...lines, ...rest.map(({ old, delta }, n) => leftOver(old, lines.length + n, delta, record))];
}

/** How the effects came to be others than before: by what happened, or by how the same record is understood. */
type Change = 'on' | 'otherwise' | 'by_another_table';

/** It was not understood until now, or was taken for what it is not: a refund of the dashboard for that of a dispute. */
function isReread({ operations }: Worked, old: Line): boolean {
  if (operations === null) return false;
  return old.part === 'unclear' ? old.base !== null : !operations.includes(old.operation ?? '');
}

/**
 * What an effect is now that stood at the opening and that the record no longer shows. '0': it was taken back since, as a net
 * of nothing while a dispute is open. As it stood: that is not known, or the record is gone. Null: it never was one.
 */
function restOf({ operations, effects }: Worked, { operation, base, delta }: Line, change: Change): string | null {
  if (base === null || isZero(base)) return null;
  const isUnclear = effects.some((one) => one.part === 'unclear' && (one.operation ?? operation) === operation);
  if (operations === null || isUnclear) return base;
  if (!operations.includes(operation ?? '')) return null;
  return change === 'by_another_table' && sameAmount(base, delta) ? null : '0';
}

function leftOver(old: Line, line: number, delta: string, { from }: Worked): Line {
  return { ...old, line, delta, moved_from: sameAmount(old.delta, delta) ? old.moved_from : String(Math.floor(from)) };
}

/** By another table the whole of an effect that stood at the opening is another, and still stood then. */
function carried(old: Line, { delta }: Effect, change: Change): string | null {
  const stood =
    change === 'by_another_table' && old.base !== null && old.base !== '0' && sameAmount(old.base, old.delta);
  return stood ? (delta ?? '0') : (old.base ?? (delta === null ? null : '0'));
}

/**
 * An effect that nothing was known of: it came after the opening, unless the record was found only since and says that it
 * is older. Where a record only says otherwise: what says when it was goes by that, what does not by when the record was
 * first seen. Null: what is not known in figures is open.
 */
function baseOf(record: Worked, effect: Effect, opening: Opening | undefined, change: Change): string | null {
  const open = effect.delta === null ? null : '0';
  if (opening === undefined) return open;
  const at = timeOf(effect.at ?? record.saysAt)?.getTime() ?? null;
  const seenBefore = record.firstSeenAt.getTime() <= opening.openedAt;
  const stood =
    change === 'on'
      ? !seenBefore && at !== null && at < opening.at - MARGIN_MS
      : at === null
        ? seenBefore
        : at <= opening.at;
  return stood ? (effect.delta ?? '0') : open;
}

function timeOf(text: string | null): Date | null {
  const instant = text === null ? null : instantText(text);
  return instant === null ? null : new Date(instant);
}

async function insertLines(trx: Trx, kind: MovingKind, lines: readonly Line[]): Promise<void> {
  if (lines.length === 0) return;
  const given = tableOf('new', lines, {
    record_id: 'text',
    line: 'bigint',
    part: 'text',
    operation: 'text',
    account_id: 'text',
    asset_code: 'text',
    delta: 'text',
    base: 'text',
    at: ['text', ({ at }) => at?.toISOString() ?? null],
    why: 'text',
    limits: 'text',
    moved_from: 'bigint',
  });
  await run(trx)`
    INSERT INTO movements (record_kind, record_id, line, part, operation, account_id, asset_code, delta, base, at, why,
                           limits, moved_from)
    SELECT ${kind}, record_id, line, part, operation, account_id, asset_code, delta::numeric, base::numeric,
           at::timestamptz, why, limits::numeric, moved_from
    FROM ${given}`;
}
