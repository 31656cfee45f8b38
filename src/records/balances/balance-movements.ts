import type { Knex } from 'knex';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import { effectsOf, operationsWith } from '../../domain/balances/movements.js';
import { canonicalHash } from '../../domain/canonical-json.js';
import { feedHead } from '../changes.js';
import { columnOf, rowsOf, valueOf } from '../database/statements.js';
import { type Worked, writeEffects } from './balance-effects.js';
import { type MovingKind, movingKinds, readMoving } from './balance-records.js';

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
  trx: Knex.Transaction,
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
    const also = kind === 'payout' ? await refundsOf(trx, rows) : [];
    records += await workInRecords(trx, { table, renewing }, kind, [...new Set([...ids, ...also])]);
  }
  await trx('movements_progress').update({ seq: String(seq), renewing_to: String(renewingTo), contract });
  return { seq, records };
}

/** One worker at a time. */
async function lockProgress(trx: Knex.Transaction, contract: string): Promise<Progress> {
  await trx('movements_progress').insert({ contract }).onConflict('only_one').ignore();
  const row = await trx<Progress>('movements_progress').forUpdate().first();
  if (row === undefined) throw new Error('the row of the progress is gone');
  return row;
}

async function refundsOf(
  trx: Knex.Transaction,
  rows: readonly { entity_kind: MovingKind; entity_id: string }[],
): Promise<string[]> {
  const intents = rows.filter((row) => row.entity_kind === 'payment_intent').map((row) => row.entity_id);
  return columnOf<string>(trx)`
    SELECT irregular_refund_payout_id FROM payment_intents
    WHERE id = ANY (${intents}::text[]) AND irregular_refund_payout_id IS NOT NULL`;
}

async function workInRecords(
  trx: Knex.Transaction,
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

function maxOf(a: string, b: string): string {
  return BigInt(a) > BigInt(b) ? a : b;
}
