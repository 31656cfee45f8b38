import type { BreakView } from '../../domain/views/proof-shapes.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { breakColumns, breakRows } from '../view/break-rows.js';
import type { Section } from '../view/sections.js';
import type { Sheet } from './sheet.js';

/** What a person must not overlook before they trust what is below. */
export function noticesOf({ one }: Pick<Sheet, 'one'>, { absentSince, verified, reported }: RecordView): Section[] {
  if (absentSince !== null) {
    return [
      {
        is: 'notice',
        tone: 'bad',
        title: `The service does not list this ${one}`,
        text: 'Its lists were read, and it is not among them. Ship and pay nothing on it: a test send, another environment, or a secret in wrong hands looks like this.',
      },
    ];
  }
  if (verified && reported === null) return [];
  return [
    {
      is: 'notice',
      tone: 'info',
      title: verified ? 'A webhook says otherwise than the service’s list' : 'Reported, not verified yet',
      text: verified
        ? `What only webhooks say of this ${one} stands under “Only reported”. It may hold an order until the service is read again, and releases none.`
        : `The service’s own list has not shown this ${one} yet, or what is newer than it. It is polled by itself within seconds. Until then nothing is released on it.`,
    },
  ];
}

export function breaksOf(breaks: readonly BreakView[], now: Date): Section[] {
  if (breaks.length === 0) return [];
  return [
    {
      is: 'table',
      caption: 'Open breaks',
      showCaption: true,
      columns: breakColumns,
      rows: breakRows(breaks, now),
      empty: { title: '', text: '' },
    },
  ];
}
