import type { Knex } from 'knex';
import { boundsAtOpening, type FoundAtOpening } from '../../domain/balances/at-opening.js';
import type { BalanceSums } from '../../domain/balances/balance-proof.js';
import type { MovementTable } from '../../domain/balances/movement-table.js';
import type { UnnamedPayouts } from '../../domain/balances/unnamed-payouts.js';
import { counted } from '../../domain/in-words.js';
import { addAmounts, subtractAmounts } from '../../domain/money.js';
import { stateFromText } from '../../domain/record-state.js';
import { raw, rowsOf, valueOf } from '../database/statements.js';
import { notSentAmong } from '../deliveries/not-sent.js';
import { unnamedPayouts } from './unnamed-payouts.js';

interface Row {
  asset_code: string;
  explained: string;
  known: string;
  unplaced: string;
  unnamed: string;
  unnamed_later: string;
  withdrawn: string;
  limits: string;
  unclear: string | null;
  unclear_count: string;
  moved_from: string | null;
  stood_until: Date | null;
}

/** Sums of what moved the operating balance of each asset since its opening. */
export interface AssetSums extends BalanceSums {
  /** Start of the newest poll that brought one of these effects, in ms of the service's clock. */
  movedFrom: number;
  /** Withdrawals that the sub-wallets' feeds may debit earlier than they count here. Null: nothing is distinguished by those. */
  unnamed: UnnamedPayouts | null;
}

const IN_EVIDENCE = 5;
const UNNAMED = "part = 'unplaced' AND account_id IS NULL AND delta IS DISTINCT FROM base";

const none: AssetSums = {
  explained: '0',
  known: '0',
  attributed: '0',
  limit: '0',
  unclear: null,
  movedFrom: 0,
  unnamed: null,
};

/**
 * `payoutsListedUntil`: up to when (ms of the service's clock) its own list of payouts was read whole; infinite: until now.
 * Until then the withdrawals of all balances together less those that the sub-wallets' own transactions show are the operating
 * balance's, though no payout says whose it is.
 */
export async function sumMovements(
  db: Knex,
  assets: readonly string[],
  { payoutsListedUntil: until, table }: { payoutsListedUntil: number; table: MovementTable },
): Promise<Map<string, AssetSums>> {
  const rows = await rowsOf<Row>(db)`
    SELECT asset_code,
      ${raw(sum("part = 'explained' AND account_id IS NULL"))} AS explained,
      ${raw(sum("part = 'unobservable' AND account_id IS NULL"))} AS known,
      ${raw(sum("part = 'unplaced' AND moved_from <= listed.until"))} AS unplaced,
      count(*) FILTER (WHERE ${raw(UNNAMED)} AND moved_from <= listed.until) AS unnamed,
      count(*) FILTER (WHERE ${raw(UNNAMED)} AND moved_from > listed.until) AS unnamed_later,
      ${raw(sum("operation = 'accountPayout' AND account_id IS NOT NULL AND (at IS NULL OR extract(epoch FROM at) * 1000 <= listed.until)"))} AS withdrawn,
      trim_scale(coalesce(sum(limits) FILTER (WHERE part = 'unobservable' AND delta IS NULL AND base IS NULL
        AND NOT EXISTS (SELECT FROM payouts JOIN movements AS paid ON paid.record_kind = 'payout' AND paid.record_id = payouts.id
          WHERE paid.operation = 'settlement' AND payouts.payment_intent_id = movements.record_id)
        AND NOT EXISTS (SELECT FROM balance_attributions AS said
          WHERE said.asset_code = movements.asset_code AND said.at >= to_timestamp(moved_from / 1000.0))), 0))::text AS limits,
      min(concat_ws(' ', record_kind, record_id) || ': ' || why) FILTER (WHERE part = 'unclear' AND base IS NULL) AS unclear,
      count(*) FILTER (WHERE part = 'unclear' AND base IS NULL) AS unclear_count,
      max(moved_from) FILTER (WHERE account_id IS NULL) AS moved_from,
      max(at) FILTER (WHERE operation = 'accountPayout' AND account_id IS NOT NULL AND base <> 0) AS stood_until
    FROM (SELECT ${until}::float8 AS until) AS listed CROSS JOIN movements WHERE asset_code = ANY (${assets}::text[]) GROUP BY asset_code`;
  const attributed = await sumAttributed(db);
  const ofAll = await unclearOfAnyAsset(db);
  const found = new Map<string, AssetSums>();
  for (const row of rows) {
    const asset = row.asset_code;
    const sums = sumsOf(row);
    const isDistinguished = row.unnamed !== '0' && (row.withdrawn !== '0' || row.stood_until !== null);
    const about = { table, stoodUntil: row.stood_until };
    found.set(
      asset,
      isDistinguished ? await withUnnamed(db, asset, sums, await unnamedPayouts(db, asset, about)) : sums,
    );
  }
  return new Map(
    assets.map((asset) => {
      const sums = found.get(asset) ?? none;
      return [asset, { ...sums, attributed: attributed.get(asset) ?? '0', unclear: sums.unclear ?? ofAll }];
    }),
  );
}

/** What each effect that was read since then (ms of the service's clock) adds to the sums of an asset, by a key of its own. */
export async function effectsSince(db: Knex, asset: string, since: number): Promise<Map<string, string>> {
  const rows = await rowsOf<{ key: string; moved: string }>(db)`
    SELECT concat_ws(' ', record_kind, record_id, line) AS key, trim_scale(delta - base)::text AS moved FROM movements
    WHERE asset_code = ${asset} AND moved_from >= ${since} AND account_id IS NULL AND delta <> base
      AND part IN ('explained', 'unobservable')`;
  return new Map(rows.map(({ key, moved }) => [key, moved]));
}

export async function sumAttributed(db: Knex): Promise<Map<string, string>> {
  const rows = await rowsOf<{ asset_code: string; sum: string }>(db)`
    SELECT asset_code, trim_scale(sum(amount))::text AS sum FROM balance_attributions GROUP BY asset_code`;
  return new Map(rows.map((row) => [row.asset_code, row.sum]));
}

/** What each sub-wallet's transactions add up to; the service shows no balance of theirs (specification 2.5). */
export async function subWalletSums(
  db: Knex,
  accountId: string,
): Promise<{ assetCode: string; movements: number; sum: string }[]> {
  return rowsOf<{ assetCode: string; movements: number; sum: string }>(db)`
    SELECT asset_code AS "assetCode", count(*)::integer AS movements, trim_scale(sum(delta))::text AS sum FROM movements
    WHERE account_id = ${accountId} AND part = 'explained' GROUP BY asset_code ORDER BY asset_code`;
}

function sum(condition: string): string {
  return `trim_scale(coalesce(sum(delta - base) FILTER (WHERE ${condition}), 0))::text`;
}

function sumsOf(row: Row): AssetSums {
  const later = Number(row.unnamed_later);
  const others = Number(row.unclear_count);
  const ofOperating = row.unnamed === '0' ? '0' : subtractAmounts(row.unplaced, row.withdrawn);
  const why = later === 0 ? null : `${counted(later, 'payout')} of which it is not shown which balance was debited`;
  const more = others > 1 ? ` (and ${others - 1} more)` : '';
  const unclear = others === 0 ? null : `${row.unclear ?? 'unclear'}${more}`;
  const reasons = [why, unclear].filter((reason) => reason !== null);
  return {
    explained: addAmounts(row.explained, ofOperating),
    known: row.known,
    attributed: '0',
    limit: row.limits,
    unclear: reasons.length === 0 ? null : reasons.join('; '),
    movedFrom: Number(row.moved_from ?? 0),
    unnamed: null,
  };
}

async function withUnnamed(db: Knex, asset: string, sums: AssetSums, unnamed: UnnamedPayouts): Promise<AssetSums> {
  const { atOpening } = unnamed;
  return {
    ...sums,
    explained: addAmounts(sums.explained, unnamed.correction),
    before:
      atOpening.ids.length === 0
        ? null
        : {
            ...boundsAtOpening(atOpening, await foundAtOpening(db, asset), await attributedMore(db, asset)),
            why: whyBefore(atOpening.ids),
          },
    unnamed,
  };
}

function whyBefore(ids: readonly string[]): string {
  const others = ids.length > IN_EVIDENCE ? ' and others' : '';
  return `may be payouts that were under way when the books were opened, of which it is not shown whose they are (${ids.slice(0, IN_EVIDENCE).join(', ')}${others})`;
}

async function foundAtOpening(db: Knex, asset: string): Promise<FoundAtOpening | null> {
  const row = await db<{ asset_code: string; at_opening: FoundAtOpening | null }>('balance_proofs')
    .where({ asset_code: asset })
    .first('at_opening');
  return row?.at_opening ?? null;
}

/** What finance has said of parts by which a balance is more: the same payout is not the reason twice. */
async function attributedMore(db: Knex, asset: string): Promise<string> {
  return valueOf<string>(db)`
    SELECT trim_scale(coalesce(sum(amount), 0))::text FROM balance_attributions WHERE asset_code = ${asset} AND amount > 0`;
}

/** In which lists and the delivery history decide on what a report says; after it the balances alone show it. */
const UNDECIDED = '1 hour';
/** Beyond, nobody checks whether each of them is disproved. */
const MOST = 1_000;

/** Why no asset is proven, whatever its own transactions say; null: nothing speaks against it. */
async function unclearOfAnyAsset(db: Knex): Promise<string | null> {
  const row = await db('movements')
    .where({ part: 'unclear' })
    .whereNull('asset_code')
    .whereNull('base')
    .first('record_kind', 'record_id', 'why');
  if (row !== undefined)
    return `${row.record_kind} ${row.record_id}, which does not name its asset: ${String(row.why)}`;
  const id = await undecidedPayout(db);
  return id === null ? null : `payout ${id}, which only webhooks report: whether the service has it is not known yet`;
}

/**
 * A payout known only from reports moves nothing here (docs/reconcile.md): if it is real, the balance shows it as a
 * part that nothing explains. Until it is decided, for an hour at most, that part may be about to be explained.
 */
async function undecidedPayout(db: Knex): Promise<string | null> {
  const rows = await rowsOf<{ id: string; claims: string }>(db)`
    SELECT id, claims FROM payouts
    WHERE absent_since IS NULL AND (status IS NULL OR status NOT IN ('confirmed', 'failed')) AND NOT known
      AND first_seen_at > now() - interval '${raw(UNDECIDED)}' ORDER BY id LIMIT ${MOST}`;
  const reports = rows.map(({ id, claims }) => ({
    id,
    refs: stateFromText({ poll: null, claims }).claims.map(({ source }) => source.ref),
  }));
  const notSent = await notSentAmong(db, [...new Set(reports.flatMap(({ refs }) => refs))]);
  const open = reports.find(({ refs }) => rows.length === MOST || refs.some((ref) => !notSent.has(ref)));
  return open?.id ?? null;
}
