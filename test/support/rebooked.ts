import type { Knex } from 'knex';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { rebookAttribution } from '../../src/records/books/rebook-attribution.js';

const FROM = 'income:attributed';

/** What finance said of -1 of a balance, on a day (YYYY-MM-DD). Returns its id. */
export async function attributed(db: Knex, assetCode: string, day: string): Promise<string> {
  const on = { day, timeZone: 'UTC' };
  const said = await attributeBalance(db, { assetCode, amount: '-1', contra: FROM, on, note: 'n', actor: 'fina' });
  if (said.outcome !== 'done') throw new Error(said.outcome);
  return said.id;
}

/** The same, on another account since. */
export async function rebooked(db: Knex, assetCode: string, day: string): Promise<void> {
  const attribution = await attributed(db, assetCode, day);
  const given = {
    assetCode,
    attribution,
    from: FROM,
    contra: 'equity:deposits',
    on: day,
    note: 'n',
    actor: 'fina',
  } as const;
  const { outcome } = await rebookAttribution(db, given, { timeZone: 'UTC', now: new Date() });
  if (outcome !== 'done') throw new Error(outcome);
}
