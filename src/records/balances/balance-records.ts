import type { Knex } from 'knex';
import type { MovementRecord } from '../../domain/balances/movement-table.js';
import { fromJsonText, ownField } from '../../domain/json.js';
import { isReport } from '../../domain/record-state.js';
import { raw, rowsOf, sql } from '../database/statements.js';
import { recordTables } from '../record-columns.js';
import { type StoredRow, storedRecord } from '../stored-record.js';

/** The kinds of record that move balances. */
export const movingKinds = ['payment_intent', 'payin', 'payout', 'transaction'] as const;
export type MovingKind = (typeof movingKinds)[number];

export interface MovingRecord {
  /** As it is stored. */
  key: string;
  /** Null: it does nothing to any balance, as far as the service has shown. */
  record: MovementRecord | null;
  /** Start, in ms of the service's clock, of what showed it so. */
  from: number;
  /** Ours. */
  firstSeenAt: Date;
  /** The last moment that the record itself names, as the service wrote it. */
  saysAt: string | null;
}

type Row = StoredRow & { observed_at: Date; first_seen_at: Date; of_dispute: boolean };

/**
 * Records as the service's own lists showed them, never as events report them: a balance is read, so what it is classified by is
 * too. Of payouts, which not every service lists, what our own calls and the delivery history say is taken where nothing was
 * read, or not since: the next poll overtakes it. One known only from reports does nothing (`unclear-payouts.ts`).
 */
export async function readMoving(trx: Knex, kind: MovingKind, keys: readonly string[]): Promise<MovingRecord[]> {
  if (keys.length === 0) return [];
  const dispute =
    kind === 'payout' ? 'EXISTS (SELECT FROM payment_intents WHERE irregular_refund_payout_id = record.id)' : 'false';
  const rows = await rowsOf<Row>(trx)`
    SELECT id, poll_hash, settled, poll, poll_from, poll_to, poll_by, poll_ref, claims, shown, verified, absent_since,
           observed_at, first_seen_at, ${raw(dispute)} AS of_dispute
    FROM ${raw(recordTables[kind])} AS record WHERE id = ANY (${keys}::text[])`;
  return rows.map((row) => movingRecord(kind, row));
}

/**
 * Payouts whose reading hangs on what changed of payments in this part of the history: those that these payments name as their
 * dispute's refund, or named until then. With them those that `others`, payments as well, name.
 */
export async function refundsNamed(
  trx: Knex,
  { after, until }: { after: string; until: string },
  others: readonly string[] = [],
): Promise<string[]> {
  const part = sql`seq > ${after} AND seq <= ${until} AND entity_kind = 'payment_intent'`;
  const rows = await rowsOf<{ named: string | null; before: string | null }>(trx)`
    SELECT irregular_refund_payout_id AS named, NULL AS before FROM payment_intents
    WHERE (id = ANY (${others}::text[]) OR id IN (SELECT entity_id FROM changes WHERE ${part})) AND irregular_refund_payout_id IS NOT NULL
    UNION SELECT NULL, from_value::varchar FROM changes WHERE ${part} AND field = 'irregularRefundPayoutId' AND from_value IS NOT NULL`;
  return rows.flatMap(({ named, before }) => {
    const id = before === null ? named : fromJsonText(before);
    return typeof id === 'string' ? [id] : [];
  });
}

function movingRecord(kind: MovingKind, row: Row): MovingRecord {
  const stored = storedRecord(row);
  const { poll } = stored.state;
  // What moved on since its list was read, which the service may not show any more.
  const isOn = kind === 'payout' && !row.verified && poll !== null && poll.fields !== null;
  const isClaimed = kind === 'payout' && poll === null && stored.state.claims.some((one) => !isReport(one));
  const fields = isOn || isClaimed ? stored.fields : (poll?.fields ?? null);
  // What only our own requests say of it is in what is shown, not in what the service lists.
  const account = ownField(stored.fields, 'accountId');
  const named = typeof account === 'string' || account === null ? { accountId: account } : {};
  const ofPayout = kind === 'payout' ? { ...named, ofDispute: row.of_dispute } : {};
  const record: MovementRecord | null = fields === null ? null : { kind, id: row.id, fields, ...ofPayout };
  const saysAt = ownField(stored.fields, 'updatedAt') ?? null;
  return {
    key: row.id,
    record,
    from: poll === null ? row.observed_at.getTime() : Math.max(poll.from, isOn ? row.observed_at.getTime() : 0),
    firstSeenAt: row.first_seen_at,
    saysAt: typeof saysAt === 'string' ? saysAt : null,
  };
}
