import type { Knex } from 'knex';
import { type Attribution, attributionShape, type BalanceProofView } from '../../domain/views/balance-shapes.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { type Page, type PageQuery, within } from '../database/paging.js';
import { raw, rowsOf } from '../database/statements.js';
import { type RowOf, viewOf } from '../database/view-of.js';
import { getRecord, listRecords } from '../rows.js';
import { type BalanceProof, proofStatus, proofsAsOf } from './balance-proofs.js';

/** A balance as the service showed it last, and how it was classified. */
export type BalanceView = RecordView & { proof: BalanceProofView | null };

/** Balances with their proofs, of the time when they were compared last; filters and order are those of the records. Throws `CursorError`. */
export async function listBalances(
  db: Knex,
  query: PageQuery & { filters?: Readonly<Record<string, string>> },
  now = new Date(),
): Promise<Page<BalanceView>> {
  const { from, to, ...others } = query;
  const isNarrowed = from !== undefined || to !== undefined;
  const agreed = db('balance_proofs').select('asset_code');
  const among = isNarrowed ? { among: within(agreed, query, 'agreed_at') } : {};
  const { items, nextCursor } = await listRecords(db, 'balance', { ...others, ...among });
  const proofs = await proofsAsOf(
    db,
    now,
    items.map(({ id }) => id),
  );
  return { items: items.map((item) => withProof(item, proofs.get(item.id))), nextCursor };
}

/** One of them, with all that finance attributed. */
export async function getBalance(
  db: Knex,
  assetCode: string,
  now = new Date(),
): Promise<(BalanceView & { attributions: Attribution[] }) | null> {
  const record = await getRecord(db, 'balance', assetCode);
  if (record === null) return null;
  const proof = (await proofsAsOf(db, now, [assetCode])).get(assetCode);
  return { ...withProof(record, proof), attributions: await listAttributions(db, assetCode) };
}

/** SQL beside balance_attributions as `said`: who approved it, as its action says. */
export const attributionApproval = raw(`LEFT JOIN LATERAL (
  SELECT details ->> 'decision' AS decision, details ->> 'approvedBy' AS approved_by FROM actions
  WHERE target = 'balance ' || said.asset_code AND action = 'attribute balance' AND outcome = 'done'
    AND details ->> 'attribution' = said.id::text LIMIT 1
) AS action ON true`);

/** Newest first. */
export async function listAttributions(db: Knex, assetCode: string): Promise<Attribution[]> {
  const rows = await rowsOf<RowOf<Attribution>>(db)`
    SELECT id, asset_code, trim_scale(amount)::text AS amount, contra, note, said.actor, at,
           to_char(booked_on, 'YYYY-MM-DD') AS booked_on, decision, approved_by
    FROM balance_attributions AS said ${attributionApproval}
    WHERE asset_code = ${assetCode} ORDER BY id DESC`;
  return rows.map((row) => viewOf(attributionShape, row));
}

function withProof(record: RecordView, proof: BalanceProof | undefined): BalanceView {
  return { ...record, proof: proof === undefined ? null : proofView(proof) };
}

function proofView(proof: BalanceProof): BalanceProofView {
  const { assetCode: _, held: __, balance, frozen, ...rest } = proof;
  return { status: proofStatus(proof), ...rest, agreedBalance: balance, agreedFrozen: frozen };
}
