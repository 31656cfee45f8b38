import type { Knex } from 'knex';
import { mayRefund, namedIn, type PayoutWords } from '../../domain/family/links.js';
import { type JsonObject, objectFromJsonText } from '../../domain/json.js';
import { createdKind } from '../../domain/own-calls.js';
import { type RecordKind, textField } from '../../domain/records.js';
import { usableId } from '../database/database-text.js';
import { recordTables } from '../record-columns.js';

/** What a call is said to have made. */
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

function fieldsOf(row: Row | undefined): JsonObject {
  return row === undefined ? {} : objectFromJsonText(row.shown);
}

function forceable(message: string): MadeProblem {
  return { message, forceable: true };
}
