import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { grouped } from '../../domain/grouped.js';
import {
  type Attribution,
  attributionShape,
  type BalanceProofView,
  rebookingShape,
} from '../../domain/views/balance-shapes.js';
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

/** SQL: each attribution as it was first said, and as it was rebooked, with who approved that, as its action says. `step` 0: the first. */
export const attributionSteps = raw(`(
  SELECT id, 0 AS step, NULL::bigint AS rebooking, asset_code, amount, contra, note, actor, at, booked_on FROM balance_attributions
  UNION ALL SELECT attribution_id, step, again.id, asset_code, amount, again.contra, again.note, again.actor, again.at, again.booked_on
  FROM attribution_rebookings AS again JOIN balance_attributions AS first ON first.id = attribution_id
) AS said LEFT JOIN LATERAL (
  SELECT details ->> 'decision' AS decision, details ->> 'approvedBy' AS approved_by FROM actions
  WHERE target = 'balance ' || said.asset_code AND action IN ('attribute balance', 'rebook attribution') AND outcome = 'done'
    AND details ->> 'attribution' = said.id::text AND details ->> 'rebooking' IS NOT DISTINCT FROM said.rebooking::text LIMIT 1
) AS action ON true`);

type Step = RowOf<Omit<Attribution, 'standsOn' | 'rebookings'>> & { rebooking: string | null };

/** Newest first, each with its rebookings, oldest first. */
export async function listAttributions(db: Knex, assetCode: string): Promise<Attribution[]> {
  const rows = await rowsOf<Step>(db)`
    SELECT said.id, rebooking, asset_code, trim_scale(amount)::text AS amount, contra, note, said.actor, at,
           to_char(booked_on, 'YYYY-MM-DD') AS booked_on, decision, approved_by
    FROM ${attributionSteps} WHERE asset_code = ${assetCode} ORDER BY said.id DESC, step`;
  return [...grouped(rows, ({ id }) => id).values()].map((steps) => {
    const accountOf = (n: number) => steps[n]?.contra ?? accounts.unobservable;
    const rebookings = steps.slice(1).map((row, n) =>
      viewOf(rebookingShape, {
        ...row,
        id: row.rebooking ?? '',
        from: accountOf(n),
        contra: accountOf(n + 1),
        booked_on: row.booked_on ?? '',
      }),
    );
    const standsOn = accountOf(steps.length - 1);
    return viewOf(attributionShape, steps[0] as Step, { standsOn, rebookings });
  });
}

function withProof(record: RecordView, proof: BalanceProof | undefined): BalanceView {
  return { ...record, proof: proof === undefined ? null : proofView(proof) };
}

function proofView(proof: BalanceProof): BalanceProofView {
  const { assetCode: _, held: __, balance, frozen, ...rest } = proof;
  return { status: proofStatus(proof), ...rest, agreedBalance: balance, agreedFrozen: frozen };
}
