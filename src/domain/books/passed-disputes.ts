import { compareAmounts, isAmount, isZero } from '../money.js';
import { objectsIn, textField } from '../records.js';
import type { DisputeStage } from './dispute-seen.js';
import { entriesOf } from './entries-of.js';
import type { BookChoices, BookRecord, Draft, Moved } from './entry.js';
import { stoodAtOpening } from './lines.js';
import { disputeOf } from './payment-dating.js';

/**
 * What the books should have said of a payment in the states of its dispute that are over, the oldest first: so who posts only after one
 * opened and ended comes to the same months as who posts each minute. One after the other, ahead of what stands now.
 */
export function passedDisputes(record: BookRecord, choices: BookChoices): Draft[][] {
  const { fields, moved, dispute } = record;
  const openedAt = dispute?.booksOpenedAt ?? null;
  if (fields === null || openedAt === null || moved.some(stoodAtOpening)) return [];
  const ends = new Map(entriesOf(record, choices).map(({ key, dated }) => [key, dated.at]));
  return (dispute?.stages ?? []).flatMap((stage) => {
    const then = recordThen(record, stage, choices);
    const drafts = then === null ? [] : entriesOf(then, choices);
    const passed = drafts.filter(
      ({ key, mode, dated }) => mode === 'state' && dated.at >= openedAt && dated.at < (ends.get(key) ?? 0),
    );
    return passed.length === 0 ? [] : [passed.map((draft): Draft => ({ ...draft, isPassed: true }))];
  });
}

/** Null: what it moved then, or what counted of it, is not known. */
function recordThen(record: BookRecord, { shown, seen }: DisputeStage, choices: BookChoices): BookRecord | null {
  const fields = { ...record.fields, ...shown };
  const moved = movedThen(record, fields['amountNetMerchant'], choices);
  if (moved === null) return null;
  const dispute = seen === null ? null : { ...seen, booksOpenedAt: record.dispute?.booksOpenedAt ?? null };
  const then = { ...record, fields, moved, dispute };
  // Without a dispute only what is confirmed counts, and a dispute may show what was as unmatched.
  const isKnown = objectsIn(fields, 'payins').every((one) => textField(one, 'status') === 'confirmed');
  return disputeOf(then) === null && !isKnown ? null : then;
}

/** By the intent, it moved its net; by payins, nothing itself. */
function movedThen({ fields, moved }: BookRecord, net: unknown, { payments }: BookChoices): Moved[] | null {
  const others = moved.filter(({ operation }) => operation !== 'paymentCollected');
  if (payments !== 'intent') return others;
  const now = moved.find(({ operation }) => operation === 'paymentCollected')?.delta ?? '0';
  const told = fields?.['amountNetMerchant'];
  // Where the contract's table takes it from something else, nothing shows what that was.
  if (!isAmount(net) || !isAmount(told) || compareAmounts(now, told) !== 0) return null;
  const assetCode = textField(fields, 'assetCode');
  const own: Moved = {
    part: 'explained',
    operation: 'paymentCollected',
    account: null,
    assetCode,
    delta: net,
    base: '0',
    at: null,
  };
  return isZero(net) ? others : [...others, own];
}
