import type { Knex } from 'knex';
import type { Said } from '../../domain/family/family.js';
import { listedPayins, namedIn, type ShownRecord } from '../../domain/family/links.js';
import { isUndecided, type Looked } from '../../domain/family/said.js';
import { OPEN } from '../calls/open-calls.js';
import { textArray } from '../database/array-parameter.js';
import { fromDatabaseText } from '../database/database-text.js';
import { idsInHand, idTexts, loadShown, type RecordsInHand, shownColumns } from './shown-records.js';

/** What stands around the payments of some orders. */
export interface Around extends Said {
  payins: ShownRecord[];
  payouts: ShownRecord[];
  /** The payments that name a payout as the refund of their dispute, of whatever order. */
  naming: ShownRecord[];
}

export async function readAround(
  trx: Knex,
  inHand: RecordsInHand,
  references: readonly string[],
  intents: readonly ShownRecord[],
): Promise<Around> {
  const { payin: payins, payout: payouts } = await loadBelonging(trx, inHand, references, intents);
  const said = await readSaid(trx, references, intents);
  const naming = payouts.length === 0 ? [] : await loadNaming(trx, inHand, payouts, intents);
  const assigned = payouts.length === 0 ? new Map<string, string | null>() : await readAssigned(trx, payouts);
  return { payins, payouts, naming, assigned, ...said };
}

/** Deposits and payouts that name one of the payment intents, that one of them names, or that carry one of the references. */
export async function loadBelonging(
  trx: Knex,
  inHand: RecordsInHand,
  references: readonly string[],
  intents: readonly ShownRecord[],
) {
  const ids = idTexts(intents.map(({ id }) => id));
  return loadShown(
    trx,
    inHand,
    `SELECT ${shownColumns('payin')} FROM payins WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])
     UNION ALL
     SELECT ${shownColumns('payout')} FROM payouts
     WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[]) OR merchant_reference = ANY (?::text[])
       OR id = ANY (ARRAY(SELECT payout_id FROM refund_assignments WHERE payment_intent_id = ANY (?::text[])))`,
    [
      idsInHand(inHand, 'payin'),
      ids,
      idTexts(intents.flatMap(({ fields }) => listedPayins(fields))),
      idsInHand(inHand, 'payout'),
      ids,
      idTexts(intents.flatMap(({ fields }) => namedIn('payment_intent', fields, 'payout'))),
      textArray(references),
      ids,
    ],
  );
}

/** The payments that name one of the payouts as the refund of their dispute, and those given. */
export async function loadNaming(
  trx: Knex,
  inHand: RecordsInHand,
  payouts: readonly ShownRecord[],
  intents: readonly ShownRecord[],
): Promise<ShownRecord[]> {
  const { payment_intent: others } = await loadShown(
    trx,
    inHand,
    `SELECT ${shownColumns('payment_intent')} FROM payment_intents
     WHERE irregular_refund_payout_id = ANY (?::text[]) AND id <> ALL (?::text[])`,
    [idsInHand(inHand, 'payment_intent'), idTexts(payouts.map(({ id }) => id)), idTexts(intents.map(({ id }) => id))],
  );
  return [...intents, ...others];
}

/** What persons said last of each payout. */
export async function readAssigned(
  trx: Knex,
  payouts: readonly Pick<ShownRecord, 'id'>[],
): Promise<Map<string, string | null>> {
  const { rows } = await trx.raw<{ rows: { payout_id: string; payment_intent_id: string | null }[] }>(
    `SELECT DISTINCT ON (payout_id) payout_id, payment_intent_id FROM refund_assignments
     WHERE payout_id = ANY (?::text[]) ORDER BY payout_id, id DESC`,
    [idTexts(payouts.map(({ id }) => id))],
  );
  return new Map(
    rows.map((row) => [
      fromDatabaseText(row.payout_id),
      row.payment_intent_id === null ? null : fromDatabaseText(row.payment_intent_id),
    ]),
  );
}

interface SaidRow extends Looked {
  /** `order` and `payment`: what payouts give back, as reports say. */
  what: 'paid' | 'order' | 'payment' | 'open call' | 'waiting' | 'kyt';
  key: string | null;
  /** How many payments, or payouts. */
  n: number;
}

/** Nothing was looked at: undecided. */
const NOTHING =
  'false AS known, false AS absent, false AS linked, false AS searched, false AS assigned, false AS disproved';

/** Each payout that reports link with a name, by what was found out of all that say so (`isUndecided`). */
const SAID = `SELECT said_of, name, known, absent_since IS NOT NULL AS absent, coalesce(payment_intent_id, '') <> '' AS linked,
    bool_and(coalesce(searched_at >= said_to, false) OR not_sent) AS searched,
    EXISTS (SELECT FROM refund_assignments WHERE payout_id = payouts.id) AS assigned, bool_and(not_sent) AS disproved
  FROM said_refunds JOIN payouts ON payouts.id = payout_id
  WHERE name = ANY (?::text[]) OR name = ANY (?::text[]) GROUP BY said_of, name, payouts.id`;
const LOOKED = 'said_of, name, known, absent, linked, searched, assigned, disproved';

/** As many look-ups take some ten seconds within the reports' share. */
const FLOOD = 10;

/**
 * What only reports say, and own calls in doubt, as far as they withhold or show on their order. Of paid ones the condition is
 * `isSaidAlone`, and an index's.
 */
async function readSaid(
  trx: Knex,
  references: readonly string[],
  intents: readonly ShownRecord[],
): Promise<Omit<Said, 'assigned'>> {
  const [keys, ids] = [textArray(references), idTexts(intents.map(({ id }) => id))];
  const { rows } = await trx.raw<{ rows: SaidRow[] }>(
    `SELECT 'paid' AS what, reported_reference AS key, ${NOTHING}, count(*)::integer AS n FROM payment_intents
     WHERE reported_reference = ANY (?::text[]) AND reported_paid AND NOT known AND absent_since IS NULL GROUP BY key
     UNION ALL SELECT ${LOOKED}, count(*)::integer FROM (${SAID}) AS said GROUP BY ${LOOKED}
     UNION ALL SELECT 'open call', payment_intent_id, ${NOTHING}, 1 FROM service_writes AS call
     WHERE payment_intent_id = ANY (?::text[]) AND ${OPEN}
     UNION ALL SELECT 'waiting', NULL, ${NOTHING}, count(*)::integer FROM (
       SELECT FROM reading_marks WHERE kind = 'delivery' AND lane = 'hold' LIMIT ${FLOOD}) AS waiting
     UNION ALL SELECT 'kyt', NULL, ${NOTHING}, 1 FROM watermarks WHERE kind = 'account' AND name = 'kyt'`,
    [keys, keys, ids, ids],
  );
  const countOf = (wanted: SaidRow['what']) => {
    const counts = new Map<string, number>();
    for (const row of rows) {
      if (row.what !== wanted || row.key === null || !isUndecided(row)) continue;
      const key = fromDatabaseText(row.key);
      counts.set(key, (counts.get(key) ?? 0) + row.n);
    }
    return counts;
  };
  return {
    saysPaid: new Set(countOf('paid').keys()),
    reportedReferences: countOf('order'),
    reportedIntents: countOf('payment'),
    openCalls: new Set(countOf('open call').keys()),
    showsKyt: rows.some(({ what }) => what === 'kyt'),
    flooded: rows.some(({ what, n }) => what === 'waiting' && n >= FLOOD),
  };
}
