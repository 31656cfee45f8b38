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

/** By account: units until the end of a month, and money at the newest rate of each line. */
export async function held(
  db: Knex,
  recordId: string,
  until = '9999-12',
): Promise<Map<string, { units: string; money: string }>> {
  const { rows } = await db.raw(
    `SELECT account, trim_scale(sum(amount))::text AS units, trim_scale(sum(amount * rate))::text AS money
     FROM entries JOIN entry_lines ON entry_id = entries.id LEFT JOIN LATERAL (
       SELECT rate FROM entry_rates WHERE entry_rates.entry_id = entries.id ORDER BY id DESC LIMIT 1) AS valued ON true
     WHERE record_kind = 'attribution' AND record_id = ? AND month <= ? GROUP BY account`,
    [recordId, until],
  );
  return new Map(
    rows.map(({ account, ...sums }: { account: string; units: string; money: string }) => [account, sums]),
  );
}

/** What there is of it at the end of a month, by account; what came to nothing is left out. */
export async function standing(db: Knex, recordId: string, until: string): Promise<Record<string, string>> {
  const sums = [...(await held(db, recordId, until))].map(([account, { units }]) => [account, units] as const);
  return Object.fromEntries(sums.filter(([, units]) => units !== '0'));
}

/** At which rates its entries are valued. */
export async function ratesOf(db: Knex, recordId: string): Promise<(string | null)[]> {
  const { rows } = await db.raw(
    `SELECT DISTINCT trim_scale(rate)::text AS rate FROM (
       SELECT DISTINCT ON (entry_id) rate FROM entry_rates JOIN entries ON entries.id = entry_id
       WHERE record_kind = 'attribution' AND record_id = ? ORDER BY entry_id, entry_rates.id DESC) AS newest`,
    [recordId],
  );
  return rows.map(({ rate }: { rate: string | null }) => rate);
}
