import type { Knex } from 'knex';
import { stateFromText } from '../../domain/record-state-text.js';
import { fromDatabaseText } from '../database/database-text.js';
import { notSentAmong } from '../deliveries/not-sent.js';

/** In which lists and the delivery history decide on what a report says; after it the balances alone tell. */
const UNDECIDED = '1 hour';
/** Beyond, nobody looks whether each of them is disproved. */
const MOST = 1_000;

/** Why no asset is proven, whatever its own movements say; null: nothing speaks against it. */
export async function unclearOfAnyAsset(db: Knex): Promise<string | null> {
  const row = await db('movements')
    .where({ part: 'unclear' })
    .whereNull('asset_code')
    .whereNull('base')
    .first('record_kind', 'record_id', 'why');
  if (row !== undefined)
    return `${row.record_kind} ${fromDatabaseText(row.record_id)}, which does not name its asset: ${String(row.why)}`;
  const id = await undecidedPayout(db);
  return id === null ? null : `payout ${id}, which only webhooks report: whether the service has it is not known yet`;
}

/**
 * A payout that reports alone tell of moves nothing here (L1 of docs/security.md): if it is real, the balance shows it as a
 * part that nothing explains. Until it is decided, for an hour at most, that part may be about to be explained.
 */
async function undecidedPayout(db: Knex): Promise<string | null> {
  const { rows } = await db.raw<{ rows: { id: string; claims: string }[] }>(
    `SELECT id, claims FROM payouts
     WHERE absent_since IS NULL AND (status IS NULL OR status NOT IN ('confirmed', 'failed')) AND NOT known
       AND first_seen_at > now() - interval '${UNDECIDED}' ORDER BY id LIMIT ?`,
    [MOST],
  );
  const reports = rows.map(({ id, claims }) => ({
    id,
    refs: stateFromText({ poll: null, claims }).claims.map(({ source }) => source.ref),
  }));
  const notSent = await notSentAmong(db, [...new Set(reports.flatMap(({ refs }) => refs))]);
  const open = reports.find(({ refs }) => rows.length === MOST || refs.some((ref) => !notSent.has(ref)));
  return open === undefined ? null : fromDatabaseText(open.id);
}
