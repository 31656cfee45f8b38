import type { Knex } from 'knex';
import { expect } from 'vitest';
import { accountTotals } from '../../src/records/books/account-totals.js';
import { ASSET, type Attack, type Statement } from './books-attacks.js';
import { bookFindings, postBooks } from './posted-books.js';

const ADOPTED = `INSERT INTO installation (adopted_at, service_base_url) VALUES ('2026-01-01', 'x') ON CONFLICT DO NOTHING`;
const STAYS = { refused: 'the adoption date stays as it was first set' };

/** A difference of what po_2 says, between two accounts that no balance is compared with. */
const detour = (type: string, version: number, amount: number, month: string) => `
  WITH made AS (
    INSERT INTO entries (record_kind, record_id, key, version, type, corrects, month, date, at, day, dated_by, description, sources, written)
    SELECT 'payout', 'po_2', 'payout', ${version}, '${type}', max(id), '${month}', '${month}-15', now(), '${month}-15', 'created', 'x', '[]', 0
    FROM entries WHERE record_id = 'po_2' AND key = 'payout' RETURNING id)
  INSERT INTO entry_lines (entry_id, line, account, asset_code, amount)
  SELECT id, line, account, '${ASSET}', amount FROM made, (VALUES (0, 'income:payments', ${-amount}), (1, 'equity:withdrawals', ${amount}))
    AS legs (line, account, amount)`;

/** The program believes what it is told, and posts it. */
const POSTED_AGAIN: Statement = async (trx) => {
  await trx.raw(`INSERT INTO posting_due VALUES ('payout', 'po_2')`);
  await postBooks(trx);
};
const MOVED = { named: 'record_changed' };

/** Of po_2 in its row, as one poll of the service would have left it, but for the hash that the next poll is compared with. */
const amountOf = (from: number, to: number) => [
  `UPDATE payouts SET amount = ${to}, shown = replace(shown, '"amount":"${from}"', '"amount":"${to}"') WHERE id = 'po_2'`,
  `UPDATE movements SET delta = delta + ${from} - ${to} WHERE record_id = 'po_2'`,
];
const OTHER_AMOUNT = amountOf(100, 900);
let totals: unknown;
const accountsOf = async (trx: Knex) => [await accountTotals(trx, '2026-03'), await accountTotals(trx, '2026-04')];
const DETOUR: Statement[] = [
  async (trx) => {
    totals = await accountsOf(trx);
  },
  ...OTHER_AMOUNT,
  POSTED_AGAIN,
  async (trx) => {
    expect(await accountsOf(trx)).not.toEqual(totals);
    expect((await bookFindings(trx))[0]).toMatch(
      'record_changed: payout po_2 is not what its sealed changes made of it',
    );
  },
  ...amountOf(900, 100),
  POSTED_AGAIN,
  async (trx) => expect(await accountsOf(trx)).toEqual(totals),
];
const shownAs = (id: string, field: string, from: string, to: string) =>
  `INSERT INTO changes (entity_kind, entity_id, field, from_value, to_value, source_type, source_ref)
   VALUES ('payout', '${id}', '${field}', '${from}', '${to}', 'poll', '1')`;

/** Beside the books: what hides something that they, or who reads them, go by. By the application's own role too. */
const beside: Readonly<Record<string, Attack>> = {
  'a step that closes an open break': [
    [
      `INSERT INTO breaks (kind, severity, entity_kind, entity_id, evidence) VALUES ('duplicate_payment', 'critical', 'order', 'o', '{}')`,
      `INSERT INTO break_steps (break_id, action, actor) SELECT id, 'auto_resolved', 'tallyhook' FROM breaks WHERE entity_id = 'o'`,
    ],
    { refused: 'which it is not' },
  ],
  'a lower severity': [`UPDATE breaks SET severity = 'low'`, { refused: 'does not become low' }],
  'a higher severity, so that nothing more severe opens it again': [
    [
      `INSERT INTO breaks (kind, severity, entity_kind, entity_id, evidence) VALUES ('duplicate_payment', 'low', 'order', 'o', '{}')`,
      `UPDATE breaks SET severity = 'critical' WHERE entity_id = 'o'`,
    ],
    { refused: 'becomes more severe only with its step' },
  ],
  'a younger break': [`UPDATE breaks SET opened_at = now()`, { refused: 'keeps when it was opened' }],
  'a break that is with another': [`UPDATE breaks SET owner = 'eve'`, { named: 'break_changed' }],
  'another cause of a closed break, so that the same is not opened again': [
    [
      `INSERT INTO breaks (kind, severity, entity_kind, entity_id, evidence, status) VALUES ('duplicate_payment', 'critical', 'order', 'o', '{}', 'resolved')`,
      `UPDATE breaks SET cause = 'x' WHERE entity_id = 'o'`,
    ],
    { refused: 'what it rests on' },
  ],
  'a break of another order': [
    [
      `INSERT INTO breaks (kind, severity, entity_kind, entity_id, evidence) VALUES ('duplicate_payment', 'critical', 'order', 'o', '{}')`,
      `UPDATE breaks SET entity_id = 'none' WHERE entity_id = 'o'`,
    ],
    { refused: 'stays about the duplicate_payment of order o' },
  ],
  'income that is taken from one month and put into the next': [
    [detour('change', 2, 1000, '2026-04'), detour('change', 3, -1000, '2026-05')],
    { named: 'entry_differs' },
  ],
  'an entry that is taken back, and said again in another month': [
    `WITH own AS (SELECT * FROM entries WHERE record_id = 'po_2' AND key = 'payout'),
     reversed AS (INSERT INTO entries (record_kind, record_id, key, version, type, reverses, corrects, month, date, at, day, dated_by, description, sources, written)
       SELECT record_kind, record_id, key, 2, 'reversal', id, id, month, date, at, day, dated_by, 'x', sources, written FROM own RETURNING id),
     again AS (INSERT INTO entries (record_kind, record_id, key, version, type, corrects, month, date, at, day, dated_by, description, sources, written)
       SELECT record_kind, record_id, key, 3, 'correction', id, '2026-05', '2026-05-01', at, day, dated_by, 'x', sources, written FROM own RETURNING id)
     INSERT INTO entry_lines SELECT reversed.id, line, account, asset_code, -amount, memo FROM reversed, entry_lines WHERE entry_id = (SELECT id FROM own)
     UNION ALL SELECT again.id, line, account, asset_code, amount, memo FROM again, entry_lines WHERE entry_id = (SELECT id FROM own)`,
    { named: 'entry_differs' },
  ],
  'more that a record moved, posted': [
    [`UPDATE movements SET delta = delta * 2 WHERE record_id = 'po_2'`, POSTED_AGAIN],
    MOVED,
  ],
  'a record that moved nothing, posted': [[`DELETE FROM movements WHERE record_id = 'po_2'`, POSTED_AGAIN], MOVED],
  'a record that stood at the opening, posted': [
    [`UPDATE movements SET base = delta WHERE record_id = 'po_2'`, POSTED_AGAIN],
    MOVED,
  ],
  'another purpose of a payout, posted': [
    [`UPDATE movements SET operation = 'internalPayout' WHERE record_id = 'po_2'`, POSTED_AGAIN],
    MOVED,
  ],
  'another amount of a payout, wherever it stands, posted': [[...OTHER_AMOUNT, POSTED_AGAIN], MOVED],
  'another amount of a payout that stands until it is posted, and no longer': [
    DETOUR,
    { harmless: 'it is named while it stands; then each month says what it said' },
  ],
  'another amount of a payout, with a change that nothing showed': [
    [...OTHER_AMOUNT, shownAs('po_2', 'amount', '"100"', '"900"'), POSTED_AGAIN],
    MOVED,
  ],
  'a change of what the record does not say': [shownAs('po_2', 'status', '"confirmed"', '"failed"'), MOVED],
  'a change that goes on from nothing': [
    [shownAs('po_2', 'amount', '"100"', '"900"'), shownAs('po_2', 'amount', '"200"', '"100"')],
    MOVED,
  ],
  'another amount in the poll of a payout alone': [
    `UPDATE payouts SET poll = json_build_object('from', poll_from::text, 'to', poll_to::text, 'hash', poll_hash, 'by', poll_by, 'ref', poll_ref,
       'before', NULL, 'fields', replace(shown, '"amount":"100"', '"amount":"900"')::json)::text WHERE id = 'po_2'`,
    MOVED,
  ],
  'a payout that is not listed any more': [`UPDATE payouts SET absent_since = now() WHERE id = 'po_2'`, MOVED],
  'a payment that nothing proves any more': [`UPDATE payment_intents SET verified = false`, MOVED],
  'a rate that the balance does not show': [
    `INSERT INTO asset_rates (asset_code, seen_at, rate, source) VALUES ('${ASSET}', '2026-04-15 10:00Z', 50, 'balance')`,
    { refused: 'does not show this rate' },
  ],
  'a released order': [`UPDATE orders SET release_safe = true, release_reason = 'proven'`, MOVED],
  'an order that nothing made': [
    `INSERT INTO orders (reference, status, release_safe, release_reason) VALUES ('o', 'paid', true, 'proven')`,
    MOVED,
  ],
  'an order of less': [`UPDATE orders SET expected_amount = 1, expected_currency = 'EUR'`, MOVED],
  'no order': [`DELETE FROM orders`, MOVED],
  'a registration that no store made': [
    `INSERT INTO order_registrations (reference, action, amount, currency) VALUES ('order-pi_1', 'registered', 1, 'EUR')`,
    MOVED,
  ],
  'no registrations': [`TRUNCATE order_registrations`, { refused: 'append-only' }],
  'a payment that nothing showed': [
    `INSERT INTO payment_intents (id, status, shown, verified, observed_at, observed_by_type, observed_by_ref)
     VALUES ('pi_x', 'completed', '{"id":"pi_x","status":"completed"}', true, now(), 'poll', '1')`,
    MOVED,
  ],
  'a refund that nobody assigned': [
    `INSERT INTO refund_assignments (payout_id, payment_intent_id, note, actor) VALUES ('po_1', 'pi_1', 'x', 'eve')`,
    { named: 'action_missing' },
  ],
  'a refund of another': [`UPDATE refund_assignments SET payment_intent_id = NULL`, { refused: 'append-only' }],
  'a balance that its poll did not show': [
    `UPDATE balances SET balance = 1, shown = replace(shown, '"balance":"4000"', '"balance":"1"')`,
    MOVED,
  ],
  'movements that are never worked in': [`UPDATE movements_progress SET seq = 1000000`, { named: 'entry_differs' }],
  'movements that are worked in anew for ever': [
    `UPDATE movements_progress SET renewing_to = 1000000`,
    { named: 'entry_differs' },
  ],
  'a residual that is hidden in the explained part': [
    `UPDATE balance_proofs SET explained = explained + unexplained, unexplained = 0`,
    { named: 'balance_differs' },
  ],
  'a residual that is hidden in the balance': [
    `UPDATE balance_proofs SET balance = balance - unexplained, unexplained = 0`,
    { named: 'balance_differs' },
  ],
  'a later adoption': [[ADOPTED, `UPDATE installation SET adopted_at = now()`], STAYS],
  'no adoption': [[ADOPTED, `DELETE FROM installation`], STAYS],
  'another type of a payout': [
    `UPDATE payouts SET payout_type = 'withdrawal' WHERE id = 'po_bank'`,
    { named: 'record_changed' },
  ],
  'another amount of a payout': [`UPDATE payouts SET amount = 1 WHERE id = 'po_1'`, { named: 'record_changed' }],
  'an asset that the scheduler is to fill in': [
    `UPDATE payment_intents SET asset_code = NULL`,
    { harmless: 'it is filled in by what the record itself says' },
  ],
  'no asset of a payout': [`UPDATE payouts SET asset_code = NULL`, { named: 'record_changed' }],
  'another order of a payment': [`UPDATE payment_intents SET merchant_reference = 'eve'`, { named: 'record_changed' }],
  'another time of a payout': [`UPDATE payouts SET updated_at = now()`, { named: 'record_changed' }],
  'a balance that nobody compared': [
    `INSERT INTO balance_proofs (asset_code, balance, agreed_at, asked_at) VALUES ('BTC', 0, now(), now())`,
    { named: 'balance_differs' },
  ],
  'less that is unexplained': [`UPDATE balance_proofs SET unexplained = unexplained + 7`, { named: 'balance_differs' }],
  'more that is explained': [`UPDATE balance_proofs SET explained = explained - 7`, { named: 'balance_differs' }],
  'another balance': [`UPDATE balance_proofs SET balance = balance - 7`, { named: 'balance_differs' }],
  'another opening': [`UPDATE balance_proofs SET opening_balance = 0`, { named: 'balance_differs' }],
  'no proof': [`DELETE FROM balance_proofs`, { named: 'balance_differs' }],
};

export const BESIDE = Object.entries(beside).map(([name, [statements, fate]]) => {
  return { name, change: 'the attack', statements: [statements].flat(), fate };
});
