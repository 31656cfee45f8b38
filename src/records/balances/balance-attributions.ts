import type { Knex } from 'knex';
import { isAttributable } from '../../domain/balances/balance-proof.js';
import { addAmounts, isSignedAmount, normalizeAmount, subtractAmounts } from '../../domain/money.js';
import { recordAction } from '../actions/record-action.js';
import { autoResolveBreaks } from '../breaks/breaks.js';
import { fromDatabaseText, toDatabaseText } from '../database/database-text.js';
import { type BalanceProof, lockProof, readProofs } from './balance-proofs.js';

/** What finance says of a part of a residual that no list shows. */
export interface NewAttribution {
  assetCode: string;
  /** Signed: a settlement of 100 that nothing shows is "-100". */
  amount: string;
  note: string;
  actor: string;
}

export interface Attribution extends NewAttribution {
  id: string;
  at: string;
}

export type AttributeResult =
  | { outcome: 'done'; proof: BalanceProof }
  | { outcome: 'not_found' }
  /** Nothing is open of the residual, or less, or it has the other sign: attributed twice it would make a residual. */
  | { outcome: 'refused'; open: string };

/** Keeps an attribution and judges the balance by it at once. An open part can be attributed only once. */
export async function attributeBalance(db: Knex, given: NewAttribution, now = new Date()): Promise<AttributeResult> {
  if (!isSignedAmount(given.amount)) throw new TypeError('an attribution’s amount is a signed decimal string');
  const amount = normalizeAmount(given.amount);
  return db.transaction(async (trx) => {
    const proof = await lockProof(trx, given.assetCode);
    if (proof === null) return { outcome: 'not_found' };
    const unexplained = proof.unexplained ?? '0';
    const open = addAmounts(unexplained, proof.unknownAmount ?? '0');
    const { note, actor } = given;
    const about = { actor, action: 'attribute balance', target: `balance ${given.assetCode}`, reason: note };
    if (!isAttributable(amount, open)) {
      await recordAction(trx, { ...about, details: { amount, open }, outcome: 'refused' });
      return { outcome: 'refused', open };
    }
    await recordAction(trx, { ...about, details: { amount }, outcome: 'done' });
    const asset_code = toDatabaseText(given.assetCode);
    await trx('balance_attributions').insert({ asset_code, amount, note, actor, at: now });
    const ofUnexplained = unexplained !== '0';
    const left = subtractAmounts(open, amount);
    await trx('balance_proofs')
      .where({ asset_code })
      .update({
        attributed: addAmounts(proof.attributed ?? '0', amount),
        unobservable: ofUnexplained ? addAmounts(proof.unobservable ?? '0', amount) : (proof.unobservable ?? '0'),
        unexplained: ofUnexplained ? left : unexplained,
        unknown_amount: ofUnexplained ? (proof.unknownAmount ?? '0') : left,
        unproven: !ofUnexplained && left === '0' ? null : proof.unproven,
      });
    if (left === '0') {
      const entity = { kind: 'balance', id: given.assetCode } as const;
      await autoResolveBreaks(trx, [{ kind: 'balance_residual', entity }]);
    }
    const after = (await readProofs(trx, [given.assetCode])).get(given.assetCode);
    return { outcome: 'done', proof: after ?? proof };
  });
}

/** Newest first. */
export async function listAttributions(db: Knex, assetCode: string): Promise<Attribution[]> {
  const { rows } = await db.raw<{
    rows: { id: string; asset_code: string; amount: string; note: string; actor: string; at: Date }[];
  }>(
    `SELECT id, asset_code, trim_scale(amount)::text AS amount, note, actor, at FROM balance_attributions
     WHERE asset_code = ? ORDER BY id DESC`,
    [toDatabaseText(assetCode)],
  );
  return rows.map(({ id, asset_code, amount, note, actor, at }) => {
    return { id, assetCode: fromDatabaseText(asset_code), amount, note, actor, at: at.toISOString() };
  });
}
