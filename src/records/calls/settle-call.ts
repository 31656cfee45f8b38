import type { Knex } from 'knex';
import { mayRefund, namedIn, type PayoutWords } from '../../domain/family/links.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { createdKind } from '../../domain/own-calls.js';
import { type RecordKind, textField } from '../../domain/records.js';
import { textArray } from '../database/array-parameter.js';
import { usableId } from '../database/database-text.js';
import { raw, run, type Trx } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { DENIED } from './list-calls.js';

/** Who says so, and why. */
export interface Decision {
  actor: string;
  note: string;
}

export type Settled = { outcome: 'settled' } | { outcome: 'decided' } | { outcome: 'of_another'; key: string };

/**
 * A person's word on a call that nobody else can settle: it made this record, or nothing. The orders that it held are derived
 * anew, and the record is taken in, by the scheduler. A call that made nothing frees its key, as one that was refused does.
 *
 * `decided`: what came of the call is known, or still searched for. `of_another`: that call made the record.
 */
export async function settleCall(
  trx: Trx,
  { operation, key, objectId, by }: { operation: string; key: string; objectId: string | null; by: Decision },
): Promise<Settled> {
  const other = await trx('service_writes')
    .where({ operation, object_id: objectId ?? '' })
    .whereNot({ key })
    .first('key');
  if (other !== undefined) return { outcome: 'of_another', key: other.key };
  const before: { object_id: string | null; payment_intent_id: string | null } | undefined = await trx('service_writes')
    .where({ operation, key })
    .first('object_id', 'payment_intent_id');
  const rowCount = await run(trx)`
    UPDATE service_writes AS call SET
      status = CASE WHEN CAST(${objectId} AS text) IS NULL THEN 'unsent' ELSE 'done' END,
      object_id = ${objectId}, request = NULL, taken_in_at = NULL, ended_at = now()
    WHERE operation = ${operation} AND key = ${key} AND (status = 'lost' OR (${raw(DENIED)}))`;
  if (rowCount === 0) return { outcome: 'decided' };
  // What it was said to have made gives nothing back: a person's word goes before what our own call was answered.
  if (objectId === null && before?.object_id != null) {
    await trx('refund_assignments').insert({
      payout_id: before.object_id,
      payment_intent_id: null,
      named: trx.raw('?::text[]', [textArray(before.payment_intent_id === null ? [] : [before.payment_intent_id])]),
      note: by.note,
      actor: by.actor,
    });
  }
  return { outcome: 'settled' };
}

export interface SaidMade {
  operation: string;
  paymentIntentId: string | null;
  objectId: string;
}

/** Why a call can't have made it, or why that is not known; `forceable`: a person may know better. Null: nothing speaks against it. */
export interface MadeProblem {
  message: string;
  forceable: boolean;
}

interface Row {
  shown: string;
  known: boolean;
  absent_since: Date | null;
  own_call: string | null;
}

/** Holds what a person says that a call made against the records, which hold what the service shows. */
export async function madeProblem(
  trx: Knex,
  { operation, paymentIntentId, objectId }: SaidMade,
  words: PayoutWords,
): Promise<MadeProblem | null> {
  if (usableId(objectId) === null || /[\s\p{Cc}]/u.test(objectId))
    return {
      message: `"${objectId.slice(0, 80)}" is no id: blanks stand in it, or it is longer than 1,000 bytes.`,
      forceable: false,
    };
  const kind = createdKind(operation);
  if (kind === null) return forceable(`What ${operation} makes is no record here: "${objectId}" can't be looked up.`);
  const row = await rowOf(trx, kind, objectId);
  if (row?.known !== true) {
    const list = `${kind.replace('_', '-')}s`;
    return forceable(
      `The service has shown no ${kind.replace('_', ' ')} "${objectId}" yet; tallyhook reconcile ${list} reads its list.`,
    );
  }
  if (row.absent_since !== null)
    return forceable(`The service does not list ${objectId}, since ${row.absent_since.toISOString()}.`);
  if (operation !== 'createRefund') return null;
  const payment = paymentIntentId === null ? undefined : await rowOf(trx, 'payment_intent', paymentIntentId);
  const message = otherThan(objectId, { row, payment: fieldsOf(payment), paymentIntentId, words });
  return message === null ? null : forceable(message);
}

function otherThan(
  id: string,
  about: { row: Row; payment: JsonObject; paymentIntentId: string | null; words: PayoutWords },
): string | null {
  const { row, payment, paymentIntentId, words } = about;
  const fields = fieldsOf(row);
  if (row.own_call === 'createPayout') return `${id} is a withdrawal that we made ourselves.`;
  if (!mayRefund(fields, words)) return `${id} is no refund: its type is ${textField(fields, 'payoutType')}.`;
  const other = namedIn('payout', fields, 'payment_intent').find((named) => named !== paymentIntentId);
  if (other !== undefined) return `${id} gives ${other} back, and the call asked for ${paymentIntentId}.`;
  const [sent, received] = [textField(fields, 'assetCode'), textField(payment, 'assetCode')];
  if (sent === null || received === null || sent === received) return null;
  return `${id} sends ${sent}, and ${paymentIntentId} received ${received}.`;
}

async function rowOf(trx: Knex, kind: RecordKind, id: string): Promise<Row | undefined> {
  return trx(recordTables[kind]).where({ id }).first('shown', 'known', 'absent_since', 'own_call');
}

const fieldsOf = (row: Row | undefined): JsonObject => (row === undefined ? {} : objectFromJsonText(row.shown));

const forceable = (message: string): MadeProblem => ({ message, forceable: true });
