import { expect, it } from 'vitest';
import { ownCallWords, reasonWords, releaseReasons, unlinkedWords } from '../../src/domain/orders/reason-words.js';

const open = { key: 'refund-1', undecided: false };
const decide = (payout: string) =>
  `nobody knows what came of it: tallyhook calls settle refund-1 --note WHY --as done:${payout}, or not_done`;
const wait =
  'its answer did not come yet: the scheduler finds out within ten minutes what came of it, or a person says so';

it('says what ends a refund call of our own of which nobody knows what came', () => {
  expect(ownCallWords({ ...open, undecided: true }, 'po_1')).toBe(decide('po_1'));
  expect(ownCallWords({ ...open, undecided: true }, null)).toBe(decide('PAYOUT'));
  expect(ownCallWords(open, 'po_1')).toBe(wait);
});

it('says why a payout is of no payment: our own call may have made it, or nothing says of which', () => {
  expect(unlinkedWords('po_1', open)).toBe(`our own call refund-1 may have made it; ${wait}`);
  expect(unlinkedWords('po_1', { ...open, undecided: true })).toContain(decide('po_1'));
  expect(unlinkedWords('po_1', null)).toBe(
    'nothing says of which payment: tallyhook refunds assign po_1 --note WHY --payment PI, or none',
  );
});

it('says of each reason that an order is held for who or what changes it; a word of a newer program is no error', () => {
  for (const reason of releaseReasons.filter((one) => one !== 'proven'))
    expect(reasonWords(reason)).toMatch(
      /^[A-Z].+\. What changes it: ((the customer|the store|a person|the service|Tallyhook) |nothing\. ).+[^.]\.$/,
    );
  expect(reasonWords('proven')).not.toContain('What changes it');
  expect(reasonWords('from_tomorrow')).toBe('The reason is "from tomorrow".');
  expect(reasonWords('toString')).toBe('The reason is "toString".');
});
