import { expect, it } from 'vitest';
import { isActive, isFinal, isOff } from '../../src/domain/family/states.js';
import type { RecordKind } from '../../src/domain/records.js';

/** Every status of specification 3.1, 3.3, 3.4 and 3.5, and what it is: final, active, off. */
const statuses: Partial<Record<RecordKind, Record<string, string>>> = {
  payment_intent: {
    waiting_address_selection: 'active',
    pending: 'active',
    confirming: 'active',
    completed: 'final',
    expired: 'final off',
    cancelled: 'final off',
    unmatched: '',
  },
  payin: { pending: '', confirming: '', confirmed: 'final', unmatched: 'final' },
  invoice: { draft: '', sent: '', paid: 'final', expired: 'final off', cancelled: 'final off' },
  payout: { pending: 'active', approved: 'active', processing: '', confirmed: 'final', failed: 'final off' },
};
const lines = Object.entries(statuses).flatMap(([kind, words]) =>
  [...Object.entries(words), ['a word unheard of', ''], [null, '']].map(([status, is]) => [kind, status, is] as const),
);

it.each(lines)('%s %s: %s', (kind, status, is) => {
  const marks = { final: isFinal, active: isActive, off: isOff };
  const said = Object.entries(marks).filter(([, holds]) => holds(kind as RecordKind, status ?? null));
  expect(said.map(([name]) => name).join(' ')).toBe(is);
});
