import { expect, it } from 'vitest';
import { isActive, isFinal, isOff } from '../../src/domain/family/states.js';

type Kind = Parameters<typeof isFinal>[0];

/** Every status of specification 3.1, 3.3, 3.4 and 3.5, and what it is: final, active, off. */
const statuses: Record<Kind, Record<string, string>> = {
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
  const said = Object.entries(marks).filter(([, holds]) => holds(kind as Kind, status ?? null));
  expect(said.map(([name]) => name).join(' ')).toBe(is);
});
