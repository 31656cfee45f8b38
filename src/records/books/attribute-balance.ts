import type { Knex } from 'knex';
import type { FoundAtOpening } from '../../domain/balances/at-opening.js';
import { attributedPart } from '../../domain/balances/balance-proof.js';
import { accounts, type ContraAccount } from '../../domain/books/chart.js';
import { dayIn, isDay } from '../../domain/books/posting-month.js';
import { addAmounts, compareAmounts, isSignedAmount, normalizeAmount, subtractAmounts } from '../../domain/money.js';
import { type Approval, byWhom, recordAction } from '../actions/record-action.js';
import { type BalanceProof, lockProof, readProofs } from '../balances/balance-proofs.js';
import { autoResolveBreaks } from '../breaks/breaks.js';
import { type Verbatim, verbatim } from '../database/database-text.js';
import { closedMonths, lockBooks } from './posting-progress.js';

/** What finance says of a part of a residual that no list shows. */
export interface NewAttribution {
  assetCode: string;
  /** Signed: a settlement of 100 that nothing shows is "-100". */
  amount: string;
  note: string;
  actor: string;
  approval?: Approval;
  /** What it stands against; left out: it is not known what it was. */
  contra?: ContraAccount | undefined;
  /** The day on which it is booked; left out: the day on which it is said. */
  on?: AttributionDay;
}

export type AttributeResult =
  /** `adjusts`: the closed month that it belongs to; it stands in the next open one. */
  | { outcome: 'done'; id: string; proof: BalanceProof; adjusts: string | null }
  | { outcome: 'not_found' }
  /** It can't be booked on that day; `why` is a sentence. */
  | { outcome: 'wrong_day'; why: string }
  /** Nothing is open of the residual, or less, or it has the other sign: attributed twice it would make a residual. */
  | { outcome: 'refused'; open: string };

/** Keeps an attribution and classifies the balance by it at once. An open part can be attributed only once. */
export async function attributeBalance(db: Knex, given: NewAttribution, now = new Date()): Promise<AttributeResult> {
  if (!isSignedAmount(given.amount)) throw new TypeError('an attribution’s amount is a signed decimal string');
  const amount = normalizeAmount(given.amount);
  return db.transaction(async (trx) => {
    // No month is closed meanwhile.
    if (given.on !== undefined) await lockBooks(trx);
    const proof = await lockProof(trx, given.assetCode);
    if (proof === null) return { outcome: 'not_found' };
    const parts = { unexplained: proof.unexplained ?? '0', unknownAmount: proof.unknownAmount ?? '0' };
    const part = attributedPart(amount, parts);
    const open = openOf(amount, parts);
    const { note, actor, approval, on, contra = accounts.unobservable } = given;
    const about = { actor, action: 'attribute balance', target: `balance ${given.assetCode}`, reason: note, approval };
    const day = on?.day ?? null;
    const why = on === undefined ? null : whyNoDay(on, { opening: proof.opening?.at ?? null, now });
    if (why !== null) {
      await recordAction(trx, { ...about, details: { amount, on: day, why }, outcome: 'refused' });
      return { outcome: 'wrong_day', why };
    }
    if (part === null) {
      await recordAction(trx, { ...about, details: { amount, open }, outcome: 'refused' });
      return { outcome: 'refused', open };
    }
    const adjusts = day !== null && (await closedMonths(trx)).has(day.slice(0, 7)) ? day.slice(0, 7) : null;
    const dated = day === null ? {} : { on: day, ...(adjusts === null ? {} : { adjusts }) };
    const said = { asset_code: given.assetCode, amount, contra, note, actor, at: now, booked_on: day };
    const rows: { id: string }[] = await trx('balance_attributions').insert(said, 'id');
    const id = String(rows[0]?.id);
    await recordAction(trx, { ...about, details: { attribution: id, amount, contra, ...dated }, outcome: 'done' });
    const left = { ...parts, [part]: subtractAmounts(parts[part], amount) };
    const ofUnexplained = part === 'unexplained';
    await trx('balance_proofs')
      .where({ asset_code: given.assetCode })
      .update({
        attributed: addAmounts(proof.attributed ?? '0', amount),
        unobservable: ofUnexplained ? addAmounts(proof.unobservable ?? '0', amount) : (proof.unobservable ?? '0'),
        unexplained: left.unexplained,
        unknown_amount: left.unknownAmount,
        unproven: !ofUnexplained && left.unknownAmount === '0' ? null : proof.unproven,
        ...(ofUnexplained ? {} : foundWithout(amount, proof.atOpening)),
      });
    if (left.unexplained === '0') {
      const entity = { kind: 'balance', id: given.assetCode } as const;
      await autoResolveBreaks(
        trx,
        [{ kind: 'balance_residual', entity }],
        `attribution ${id} ${byWhom(actor, approval)}`,
      );
    }
    const after = (await readProofs(trx, [given.assetCode])).get(given.assetCode);
    return { outcome: 'done', id, proof: after ?? proof, adjusts };
  });
}

/** What the amount could be a part of: where both are open, the one of its sign. */
function openOf(
  amount: string,
  { unexplained, unknownAmount }: { unexplained: string; unknownAmount: string },
): string {
  const ofSign = [unexplained, unknownAmount].filter(
    (part) => part !== '0' && compareAmounts(part, '0') === compareAmounts(amount, '0'),
  );
  return ofSign[0] ?? addAmounts(unexplained, unknownAmount);
}

/** What finance has said to be a payout of the opening is in the balance no longer as one. */
function foundWithout(amount: string, found: FoundAtOpening | null): { at_opening?: Verbatim } {
  if (found === null || compareAmounts(amount, '0') < 0) return {};
  const left = subtractAmounts(found.amount, amount);
  return { at_opening: verbatim(JSON.stringify({ ...found, amount: compareAmounts(left, '0') < 0 ? '0' : left })) };
}

interface AttributionDay {
  /** YYYY-MM-DD. */
  day: string;
  /** Of the books. */
  timeZone: string;
}

/** Sentences: where an item of a closed month stands, or none. */
export function adjustsText(adjusts: string | null): string[] {
  return adjusts === null ? [] : [`${adjusts} is closed: it stands in the next open month, and adjusts ${adjusts}.`];
}

/** Why nothing can be booked on a day, in a sentence; null: it can. `opening`: when the asset's books begin. */
function whyNoDay(
  { day, timeZone }: AttributionDay,
  { opening, now }: { opening: string | null; now: Date },
): string | null {
  if (!isDay(day)) return `${day.slice(0, 40)} is no day such as 2026-10-30`;
  if (day > dayIn(timeZone, now.getTime())) return `${day} is yet to come`;
  const first = opening === null ? null : dayIn(timeZone, Date.parse(opening));
  return first !== null && day < first ? `the books of the asset begin on ${first}` : null;
}
