import type { Knex } from 'knex';
import { fromJsonText, isJsonObject } from '../../../domain/json.js';
import { textField } from '../../../domain/records.js';
import { refundsNamed } from '../../balances/balance-records.js';
import { ASSIGNED } from '../../changes.js';
import { raw, rowsOf } from '../../database/statements.js';
import { orderedKinds, relatedOrders, relatedPayments } from '../../family/shown-records.js';
import { distinctUnits, heldBy, invoicesAlone, type MatchUnit, ownersOfPayments } from './match-owners.js';
import type { MatchProgress } from './match-progress.js';

/** Bound of one slice. */
const AT_ONCE = 1_000;

interface Changed {
  seq: string;
  kind: string;
  id: string;
  /** What a person said before of whose refund it is: JSON text; null where it is another field, or nobody said it. */
  assigned: string | null;
}

export interface TouchedUnits {
  units: MatchUnit[];
  seq: string;
  rateId: string;
  more: boolean;
}

/** What is to be matched anew: what the history of changes names next, and what was posted or valued since. */
export async function nextTouchedUnits(trx: Knex, { seq: after, until, rateId }: MatchProgress): Promise<TouchedUnits> {
  const changed = await rowsOf<Changed>(trx)`
    SELECT seq, entity_kind AS kind, entity_id AS id,
      CASE WHEN field = '${raw(ASSIGNED)}' AND entity_kind = 'payout' THEN from_value::varchar END AS assigned
    FROM changes WHERE seq > ${after} AND seq <= ${until} ORDER BY seq LIMIT ${AT_ONCE}`;
  const rated = await rowsOf<{ rate: string; kind: string; id: string }>(trx)`
    SELECT rate.id AS rate, record_kind AS kind, record_id AS id
    FROM (SELECT id, entry_id FROM entry_rates WHERE id > ${rateId} ORDER BY id LIMIT ${AT_ONCE}) AS rate
      JOIN entries ON entries.id = rate.entry_id ORDER BY rate.id`;
  const isFull = changed.length === AT_ONCE;
  const named = (kind: string) => [
    ...new Set([...changed, ...rated].filter((row) => row.kind === kind).map(({ id }) => id)),
  ];
  const end = isFull ? (changed.at(-1)?.seq ?? after) : until;
  const refunds = await refundsNamed(trx, { after, until: end }, named('payment_intent'));
  return {
    units: await unitsOf(trx, (kind) => [
      ...new Set([
        ...named(kind),
        ...(kind === 'payout' ? refunds : []),
        ...(kind === 'payment_intent' ? changed.flatMap(paymentBefore) : []),
      ]),
    ]),
    seq: end,
    rateId: rated.at(-1)?.rate ?? rateId,
    more: isFull || rated.length === AT_ONCE,
  };
}

/** The payment that a person took the refund from. */
function paymentBefore({ assigned }: Changed): string[] {
  const said = assigned === null ? null : fromJsonText(assigned);
  return isJsonObject(said) ? [textField(said, 'paymentIntentId') ?? []].flat() : [];
}

async function unitsOf(trx: Knex, named: (kind: string) => string[]): Promise<MatchUnit[]> {
  const orders = new Set(named('order'));
  const records = orderedKinds.flatMap((kind) => named(kind).map((id) => ({ kind, id })));
  const all = [...new Set(records.flatMap(await relatedPayments(trx, records)))];
  for (const list of (await relatedOrders(trx, 'invoice', named('invoice'))).values())
    for (const one of list) orders.add(one);
  for (const list of (await relatedOrders(trx, 'payment_intent', all)).values())
    for (const one of list) orders.add(one);
  return distinctUnits([
    ...[...orders].map((id): MatchUnit => ({ kind: 'order', id })),
    ...(await ownersOfPayments(trx, all)).values(),
    ...(await invoicesAlone(trx, named('invoice'))).map((id): MatchUnit => ({ kind: 'invoice', id })),
    ...named('invoice').map((id): MatchUnit => ({ kind: 'invoice', id })),
    ...(await heldBy(trx, all)),
    ...(await sharedSince(trx, [...orders])),
  ]);
}

/** Payments whose reference has come to be shared: from now on each is matched by itself. */
async function sharedSince(trx: Knex, orders: readonly string[]): Promise<MatchUnit[]> {
  const rows = await rowsOf<{ id: string }>(trx)`
    SELECT payment_id AS id FROM match_payments JOIN orders ON kind = 'order' AND reference = match_payments.id
    WHERE reference = ANY (${orders}::text[]) AND orders.status = 'shared_reference'`;
  return [
    ...(
      await ownersOfPayments(
        trx,
        rows.map(({ id }) => id),
      )
    ).values(),
  ];
}
