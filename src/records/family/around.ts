import type { Knex } from 'knex';
import type { Said } from '../../domain/family/family.js';
import { listedPayins, namedIn, namesNoPayment, type ShownRecord } from '../../domain/family/links.js';
import { holdingRefunds, type SaidCount } from '../../domain/family/said.js';
import { OPEN, openCalls } from '../calls/list-calls.js';
import { textArray } from '../database/array-parameter.js';
import { rowsOf, together } from '../database/statements.js';
import { SAID_BY, SAID_STATE } from './reported-refunds.js';
import { idsInHand, idTexts, loadShown, preparedInSave, type RecordsInHand, shownColumns } from './shown-records.js';

/** What stands around the payments of some orders. */
export interface Around extends Said {
  payins: ShownRecord[];
  payouts: ShownRecord[];
  /** The payments that name a payout as the refund of their dispute, or list a payin that names none, of whatever order. */
  naming: ShownRecord[];
}

export async function readAround(
  trx: Knex,
  inHand: RecordsInHand,
  references: readonly string[],
  intents: readonly ShownRecord[],
): Promise<Around> {
  const [{ payin: payins, payout: payouts }, { callsOpen, ...said }] = await together(
    loadBelonging(trx, inHand, references, intents),
    readSaid(trx, inHand, references, intents),
  );
  const unnamed = payins.filter(namesNoPayment);
  const naming = [
    ...(payouts.length === 0 ? [] : await loadNaming(trx, inHand, payouts, intents)),
    ...(unnamed.length === 0 ? [] : await loadListing(trx, inHand, unnamed)),
  ];
  const assigned = payouts.length === 0 ? new Map<string, string | null>() : await readAssigned(trx, payouts);
  const calls = callsOpen ? await openCalls(trx, { paymentIntents: intents.map(({ id }) => id) }) : [];
  return { payins, payouts, naming, assigned, openCalls: calls, ...said };
}

/** Payins and payouts that name one of the payment intents, that one of them names, or that carry one of the references. */
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
    {
      name: 'load belonging',
      sql: `SELECT ${shownColumns('payin')} FROM payins WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[])
     UNION ALL
     SELECT ${shownColumns('payout')} FROM payouts
     WHERE payment_intent_id = ANY (?::text[]) OR id = ANY (?::text[]) OR merchant_reference = ANY (?::text[])
       OR id = ANY (ARRAY(SELECT payout_id FROM refund_assignments WHERE payment_intent_id = ANY (?::text[])))`,
    },
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
    {
      name: 'load naming',
      sql: `SELECT ${shownColumns('payment_intent')} FROM payment_intents
     WHERE irregular_refund_payout_id = ANY (?::text[]) AND id <> ALL (?::text[])`,
    },
    [idsInHand(inHand, 'payment_intent'), idTexts(payouts.map(({ id }) => id)), idTexts(intents.map(({ id }) => id))],
  );
  return [...intents, ...others];
}

async function loadListing(trx: Knex, inHand: RecordsInHand, payins: readonly ShownRecord[]): Promise<ShownRecord[]> {
  const { payment_intent: listing } = await loadShown(
    trx,
    inHand,
    {
      name: 'load listing',
      sql: `SELECT ${shownColumns('payment_intent')} FROM payment_intents
     WHERE id = ANY (ARRAY(SELECT intent_id FROM payin_listings WHERE payin_id = ANY (?::text[])))`,
    },
    [idsInHand(inHand, 'payment_intent'), idTexts(payins.map(({ id }) => id))],
  );
  return listing;
}

/** What persons said last of each payout. */
export async function readAssigned(
  trx: Knex,
  payouts: readonly Pick<ShownRecord, 'id'>[],
): Promise<Map<string, string | null>> {
  const rows = await rowsOf<{ payout_id: string; payment_intent_id: string | null }>(trx)`
    SELECT DISTINCT ON (payout_id) payout_id, payment_intent_id FROM refund_assignments
    WHERE payout_id = ANY (${payouts.map(({ id }) => id)}::text[]) ORDER BY payout_id, id DESC`;
  return new Map(rows.map((row) => [row.payout_id, row.payment_intent_id]));
}

/** `n`: how many payments, or payouts. */
interface SaidRow extends SaidCount {
  /** `order` and `payment`: what payouts give back, as reports say. */
  what: 'paid' | 'order' | 'payment' | 'open call' | 'waiting' | 'history' | 'kyt';
}

/** Nothing was polled: undecided. */
const NOTHING = `NULL AS label, false AS lately, false AS known, false AS absent, false AS linked, false AS searched,
  false AS assigned, false AS disproved`;

/** As many polls take some ten seconds within the reports' share. */
const FLOOD = 10;

/**
 * What only reports say, as far as it withholds or shows on its order, and whether the outcome of an own call is unknown. Of paid ones
 * the condition is `isSaidAlone`, and an index's.
 */
async function readSaid(
  trx: Knex,
  inHand: RecordsInHand,
  references: readonly string[],
  intents: readonly ShownRecord[],
): Promise<Omit<Said, 'assigned' | 'openCalls'> & { callsOpen: boolean }> {
  const [keys, ids] = [textArray(references), idTexts(intents.map(({ id }) => id))];
  const { rows } = await preparedInSave<{ rows: SaidRow[] }>(
    trx,
    inHand,
    {
      name: 'read said',
      sql: `SELECT 'paid' AS what, reported_reference AS key, ${NOTHING}, count(*)::integer AS n FROM payment_intents
     WHERE reported_reference = ANY (?::text[]) AND reported_paid AND NOT known AND absent_since IS NULL GROUP BY key
     UNION ALL SELECT said_of, name, ${SAID_BY}, ${SAID_STATE}, count(DISTINCT payout_id)::integer
     FROM (SELECT * FROM said_refunds WHERE name = ANY (?::text[]) OR name = ANY (?::text[]) OFFSET 0) AS said
     CROSS JOIN LATERAL (SELECT * FROM payouts WHERE id = payout_id OFFSET 0) AS payouts GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
     UNION ALL SELECT 'open call', NULL, ${NOTHING}, count(*)::integer FROM service_writes AS call
     WHERE payment_intent_id = ANY (?::text[]) AND ${OPEN} HAVING count(*) > 0
     UNION ALL SELECT 'waiting', NULL, ${NOTHING}, count(*)::integer FROM (
       SELECT FROM reading_marks WHERE kind = 'delivery' AND lane = 'hold' LIMIT ${FLOOD}) AS waiting
     UNION ALL SELECT 'history', NULL, ${NOTHING}, 1 FROM watermarks
     WHERE kind = 'deliveries' AND name = 'mark' AND updated_at > now() - interval '1 hour'
     UNION ALL SELECT 'kyt', NULL, ${NOTHING}, 1 FROM watermarks WHERE kind = 'account' AND name = 'kyt'`,
    },
    [keys, keys, ids, ids],
  );
  const isRead = rows.some(({ what }) => what === 'history');
  // Where the history is not read, nothing else would find the true one among them.
  const holding = (wanted: SaidRow['what']) =>
    holdingRefunds(
      rows.filter(({ what }) => what === wanted),
      { canPassOver: isRead },
    );
  return {
    saysPaid: new Set(rows.flatMap(({ what, key }) => (what === 'paid' ? [key] : []))),
    reportedReferences: holding('order'),
    reportedIntents: holding('payment'),
    callsOpen: rows.some(({ what }) => what === 'open call'),
    showsKyt: rows.some(({ what }) => what === 'kyt'),
    polledLate: rows.some(({ what, n }) => what === 'waiting' && n >= FLOOD) || !isRead,
  };
}
