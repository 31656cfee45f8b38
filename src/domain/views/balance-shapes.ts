import { z } from 'zod';
import { amount, assetCode, described, ownId, text, time } from './parts.js';
import { recordShape } from './record-shape.js';

const signed = amount.nullable();

const proof = z
  .object({
    status: described(
      z.enum(['agrees', 'unexplained', 'unproven']),
      'Whether opening, movements and what was attributed are the balance; `unproven`: it is not known, and why.',
    ),
    opening: described(z.object({ balance: amount, at: time }).nullable(), 'What the proof begins with.'),
    agreedBalance: described(signed, 'What the poll showed that was compared.'),
    agreedFrozen: signed,
    agreedAt: described(time.nullable(), 'When it was compared with the movements last.'),
    explained: described(signed, 'By movements that the service lists.'),
    unobservable: described(signed, 'By operations that no list shows.'),
    attributed: described(signed, 'What finance named of that.'),
    unknownAmount: described(signed, 'Of known operations whose amount is not shown; to be attributed.'),
    unexplained: described(signed, 'What nothing explains.'),
    unproven: described(text.nullable(), 'Why it is not known.'),
    askedAt: time,
    atOpening: described(
      z.object({ payouts: z.array(text), most: amount, amount }).nullable(),
      'What payouts that were under way at the opening were found to make.',
    ),
  })
  .meta({ id: 'BalanceProof', description: 'How a balance was classified.' });
export type BalanceProofView = z.output<typeof proof>;

const said = {
  note: text,
  actor: text,
  decision: described(text.nullable(), 'By which another person approved it; null: nobody had to.'),
  approvedBy: described(text.nullable(), 'Who that was.'),
  at: time,
};
const account = 'The ledger account';

export const rebookingShape = z
  .object({
    id: ownId,
    from: described(text, `${account} on which it stood.`, 'income:attributed'),
    contra: described(text, `${account} on which it stands since.`, 'liabilities:attributed'),
    ...said,
    bookedOn: described(text, 'The day on which reversal and correction are booked.', '2026-10-30'),
  })
  .meta({ id: 'Rebooking', description: 'That an attribution stood on the wrong account.' });

export const attributionShape = z
  .object({
    id: ownId,
    assetCode,
    amount,
    contra: described(
      text.nullable(),
      `${account} that it was said to stand against; null: none was named, it is \`equity:unobservable\`.`,
      'equity:attributed',
    ),
    ...said,
    bookedOn: described(
      text.nullable(),
      'The day on which finance said that it was; null: none was named.',
      '2026-10-30',
    ),
    standsOn: described(text, `${account} against which it stands now.`, 'equity:attributed'),
    rebookings: described(z.array(rebookingShape), 'Oldest first.'),
  })
  .meta({ id: 'Attribution', description: 'What finance said of a part that no list shows.' });
export type Attribution = z.output<typeof attributionShape>;

/** Without a proof: it was never compared. */
const compared = { proof: proof.nullable() };

export const balanceShape = recordShape('balance', compared);

export const balanceDetailShape = recordShape(
  'balance',
  { ...compared, attributions: z.array(attributionShape) },
  { id: 'BalanceDetail', description: 'A balance with all that finance attributed.' },
);
