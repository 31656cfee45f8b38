import type { Knex } from 'knex';
import { rowsOf } from '../database/statements.js';

/** The state of one channel, as the database knows it. */
export interface ChannelView {
  channel: string;
  /** Null: the newest attempt did not fail, or there was none. */
  failingSince: Date | null;
  error: string | null;
  /** When it last took something; null: never. */
  lastOkAt: Date | null;
  /** When what waits is tried next. */
  nextAttemptAt: Date;
  waiting: number;
}

/** Of every one that was ever configured. */
export async function channelViews(db: Knex): Promise<ChannelView[]> {
  return rowsOf<ChannelView>(db)`
    SELECT channel, failing_since AS "failingSince", error, last_ok_at AS "lastOkAt", next_attempt_at AS "nextAttemptAt",
           (SELECT count(*)::integer FROM alert_notices AS notice
            WHERE notice.channel = alert_channels.channel AND status = 'pending') AS waiting
    FROM alert_channels ORDER BY channel`;
}
