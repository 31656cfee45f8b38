import type { Knex } from 'knex';
import { accounts } from '../../../domain/books/chart.js';
import type { BookedSum, MovedSum } from '../../../domain/books/match/match-facts.js';
import { rowsOf, tableOf } from '../../database/statements.js';

type RecordNamed = Pick<MovedSum, 'recordKind' | 'recordId'>;

export interface RecordRef {
  kind: 'payment_intent' | 'payin' | 'payout';
  id: string;
}

/** Of what payments bring and refunds take. The gas is no part of either. */
const OPERATIONS = ['paymentCollected', 'payinConfirmed', 'refund', 'disputeRefund'];

const accountNames: Readonly<Record<string, BookedSum['account']>> = {
  [accounts.operating]: 'operating',
  [accounts.payments]: 'payments',
  [accounts.refunds]: 'refunds',
};

/** What records did to the operating balance, and why that is not known of some. */
export async function movedBy(
  trx: Knex,
  refs: readonly RecordRef[],
): Promise<{ moved: MovedSum[]; unclear: (RecordNamed & { why: string })[] }> {
  const moved = await rowsOf<MovedSum>(trx)`
    SELECT kind AS "recordKind", id AS "recordId", asset_code AS "assetCode", trim_scale(sum(delta))::text AS delta,
           trim_scale(sum(coalesce(base, 0)))::text AS base
    FROM ${asked(refs)} JOIN movements ON record_kind = kind AND record_id = id
    WHERE account_id IS NULL AND delta IS NOT NULL AND asset_code IS NOT NULL AND operation = ANY (${OPERATIONS}::text[])
    GROUP BY kind, id, asset_code`;
  const unclear = await rowsOf<RecordNamed & { why: string }>(trx)`
    SELECT kind AS "recordKind", id AS "recordId", coalesce(why, 'it is not known') AS why FROM ${asked(refs)}
      JOIN movements ON record_kind = kind AND record_id = id WHERE part = 'unclear'`;
  return { moved, unclear };
}

export async function bookedOf(trx: Knex, refs: readonly RecordRef[], currency: string): Promise<BookedSum[]> {
  const rows = await rowsOf<Omit<BookedSum, 'account'> & { account: string }>(trx)`
    SELECT asked.kind AS "recordKind", asked.id AS "recordId", account, line.asset_code AS "assetCode", date::text AS date,
           trim_scale(sum(amount))::text AS amount, trim_scale(coalesce(sum(-amount * rate), 0))::text AS value,
           (count(*) FILTER (WHERE rate IS NULL AND account <> ${accounts.operating}))::integer AS unpriced
    FROM ${asked(refs)}
      JOIN entries ON record_kind = asked.kind AND record_id = asked.id
      JOIN entry_lines AS line ON line.entry_id = entries.id
      LEFT JOIN LATERAL (
        SELECT CASE WHEN currency = ${currency} THEN rate END AS rate FROM entry_rates
        WHERE entry_rates.entry_id = entries.id AND entry_rates.asset_code = line.asset_code
          AND account <> ${accounts.operating}
        ORDER BY id DESC LIMIT 1
      ) AS valued ON true
    WHERE account = ANY (${Object.keys(accountNames)}::text[]) AND NOT memo AND key <> 'network-fee'
    GROUP BY asked.kind, asked.id, account, line.asset_code, entries.date
    ORDER BY asked.kind, asked.id, entries.date, account`;
  return rows.flatMap((row) => {
    const account = accountNames[row.account];
    return account === undefined ? [] : [{ ...row, account }];
  });
}

function asked(refs: readonly RecordRef[]) {
  return tableOf('asked', refs, { kind: 'text', id: 'text' });
}
