import type { Knex } from 'knex';
import { accounts } from '../../../domain/books/chart.js';
import type { BookedSum, MovedSum } from '../../../domain/books/match/match-facts.js';
import { textArray } from '../../database/array-parameter.js';

export interface RecordRef {
  kind: 'payment_intent' | 'payin' | 'payout';
  id: string;
}

interface RecordNamed {
  recordKind: string;
  recordId: string;
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
  const { rows } = await trx.raw<{
    rows: { kind: MovedSum['recordKind']; id: string; asset_code: string; delta: string; base: string }[];
  }>(
    `SELECT kind, id, asset_code, trim_scale(sum(delta))::text AS delta, trim_scale(sum(coalesce(base, 0)))::text AS base
     FROM unnest(?::text[], ?::text[]) AS asked (kind, id) JOIN movements ON record_kind = kind AND record_id = id
     WHERE account_id IS NULL AND delta IS NOT NULL AND asset_code IS NOT NULL AND operation = ANY (?::text[])
     GROUP BY kind, id, asset_code`,
    [...pairsOf(refs), textArray(OPERATIONS)],
  );
  const { rows: unclear } = await trx.raw<{ rows: { kind: string; id: string; why: string | null }[] }>(
    `SELECT kind, id, why FROM unnest(?::text[], ?::text[]) AS asked (kind, id)
       JOIN movements ON record_kind = kind AND record_id = id WHERE part = 'unclear'`,
    pairsOf(refs),
  );
  return {
    moved: rows.map(({ kind, id, asset_code, delta, base }) => ({
      recordKind: kind,
      recordId: id,
      assetCode: asset_code,
      delta,
      base,
    })),
    unclear: unclear.map(({ kind, id, why }) => ({
      recordKind: kind,
      recordId: id,
      why: why ?? 'it is not known',
    })),
  };
}

/** What is booked of records, by account, asset and day, with what that was worth. */
export async function bookedOf(trx: Knex, refs: readonly RecordRef[], currency: string): Promise<BookedSum[]> {
  const { rows } = await trx.raw<{
    rows: {
      kind: BookedSum['recordKind'];
      id: string;
      account: string;
      asset_code: string;
      amount: string;
      date: string;
      value: string;
      unpriced: number;
    }[];
  }>(
    `SELECT asked.kind, asked.id, account, line.asset_code, date::text AS date, trim_scale(sum(amount))::text AS amount,
            trim_scale(coalesce(sum(-amount * rate), 0))::text AS value,
            (count(*) FILTER (WHERE rate IS NULL AND account <> ?))::integer AS unpriced
     FROM unnest(?::text[], ?::text[]) AS asked (kind, id)
       JOIN entries ON record_kind = asked.kind AND record_id = asked.id
       JOIN entry_lines AS line ON line.entry_id = entries.id
       LEFT JOIN LATERAL (
         SELECT CASE WHEN currency = ? THEN rate END AS rate FROM entry_rates
         WHERE entry_rates.entry_id = entries.id AND entry_rates.asset_code = line.asset_code AND account <> ?
         ORDER BY id DESC LIMIT 1
       ) AS valued ON true
     WHERE account = ANY (?::text[]) AND NOT memo AND key <> 'network-fee'
     GROUP BY asked.kind, asked.id, account, line.asset_code, date ORDER BY asked.kind, asked.id, date, account`,
    [accounts.operating, ...pairsOf(refs), currency, accounts.operating, textArray(Object.keys(accountNames))],
  );
  return rows.flatMap(({ kind, id: recordId, account, asset_code: assetCode, ...row }) => {
    const name = accountNames[account];
    if (name === undefined) return [];
    return [{ ...row, recordKind: kind, recordId, assetCode, account: name }];
  });
}

function pairsOf(refs: readonly RecordRef[]): [Buffer, Buffer] {
  return [textArray(refs.map(({ kind }) => kind)), textArray(refs.map(({ id }) => id))];
}
