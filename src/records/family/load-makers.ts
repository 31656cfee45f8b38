import type { Knex } from 'knex';
import type { ShownRecord } from '../../domain/family/links.js';
import { makerOf, type OpenCall } from '../../domain/family/own-refunds.js';
import { openCalls } from '../calls/open-calls.js';
import { idTexts, loadShown, shownColumns } from './shown-records.js';

/** The calls of our own with an unknown outcome that may have made one of the payouts, by its id (`makerOf`). */
export async function loadMakers(db: Knex, payouts: readonly ShownRecord[]): Promise<Map<string, OpenCall>> {
  const calls = payouts.length === 0 ? [] : await openCalls(db, { paymentIntents: null });
  if (calls.length === 0) return new Map();
  const { payment_intent: payments } = await loadShown(
    db,
    new Map(),
    {
      name: 'load makers',
      sql: `SELECT ${shownColumns('payment_intent')} FROM payment_intents WHERE id = ANY (?::text[])`,
    },
    [idTexts([]), idTexts(calls.map(({ paymentIntentId }) => paymentIntentId))],
  );
  const found = payouts.map((payout) => [payout.id, makerOf(payout, calls, payments)] as const);
  return new Map(found.flatMap(([id, call]) => (call === undefined ? [] : [[id, call]])));
}
