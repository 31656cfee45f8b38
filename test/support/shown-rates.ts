import type { Knex } from 'knex';
import { objectFromJsonText } from '../../src/domain/json.js';
import { keepRates } from '../../src/records/balances/balance-assets.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';

interface ShownRate {
  assetCode: string;
  rate: string;
  /** Ms of the service's clock: not before the poll that is the newest. */
  at: number;
}

/** The service shows these rates, one after the other. */
export async function showRates(db: Knex, rates: readonly ShownRate[]): Promise<void> {
  const source = { type: 'poll', ref: 'test' } as const;
  await db.transaction(async (trx) => {
    for (const { assetCode, rate, at } of rates) {
      const known = await trx('balances').where({ id: assetCode }).first('shown');
      const fields = { ...objectFromJsonText(known?.shown ?? '{}'), id: assetCode, assetCode, usdRate: rate };
      const poll = { type: 'poll', kind: 'balance', id: assetCode, from: at, to: at, source, fields } as const;
      await saveObservations(trx, [poll], { now: new Date(at), adoptedAt: new Date(0) });
      await keepRates(trx, [{ assetCode, rate, seenAt: at, source: 'balance' }]);
    }
  });
}
