import type { Knex } from 'knex';
import type { PayoutWords } from '../../../domain/family/links.js';
import { raw, rowOf, rowsOf, type Trx } from '../../database/statements.js';

export interface MatchProgress {
  /** Up to here the history of changes is matched, and it is posted up to `until`. */
  seq: string;
  until: string;
  /** Up to here what entries are worth is. */
  rateId: string;
}

/** By what days and values are given: where one of these is another than before, all is matched anew. */
export interface MatchSettings {
  timeZone: string;
  currency: string;
  /** What the words of `payoutType` mean; left out: domain/family/links.ts. */
  payoutWords?: PayoutWords | undefined;
}

/** What matches say of the same facts: raised with each change of it, so that all is matched anew after an upgrade. */
const RULES = 5;

/** Under the lock of the books. Null: nothing is posted yet. */
export async function readMatchProgress(
  trx: Trx,
  { timeZone, currency }: MatchSettings,
): Promise<MatchProgress | null> {
  const posted = await trx<{ seq: string }>('posting_progress').first('seq');
  if (posted === undefined) return null;
  const isSame = raw(
    '(known.time_zone, known.currency, known.rules) = (excluded.time_zone, excluded.currency, excluded.rules)',
  );
  const known = await rowOf<{ seq: string; rateId: string }>(trx)`
    INSERT INTO match_progress AS known (time_zone, currency, rules) VALUES (${timeZone}, ${currency}, ${RULES})
    ON CONFLICT (only_one) DO UPDATE SET
      time_zone = excluded.time_zone, currency = excluded.currency, rules = excluded.rules,
      seq = CASE WHEN ${isSame} THEN known.seq ELSE 0 END,
      rate_id = CASE WHEN ${isSame} THEN known.rate_id ELSE 0 END
    RETURNING seq, rate_id AS "rateId"`;
  return { ...known, until: posted.seq };
}

export async function saveMatchProgress(trx: Trx, seq: string, rateId: string): Promise<void> {
  await trx('match_progress').update({ seq, rate_id: rateId });
}

/** How old the oldest change is that is not matched yet; null: it is level with the records. ISO 8601 UTC. */
export async function matchBehind(db: Knex): Promise<string | null> {
  const rows = await rowsOf<{ at: Date }>(db)`
    SELECT changed_at AS at FROM changes WHERE seq > coalesce((SELECT seq FROM match_progress), 0)
    ORDER BY seq LIMIT 1`;
  return rows[0]?.at.toISOString() ?? null;
}
