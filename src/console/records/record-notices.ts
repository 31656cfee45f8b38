import type { RecordView } from '../../domain/views/record-shape.js';
import { notice, type Section } from '../view/sections.js';
import type { Sheet } from './sheet.js';

/** What a person must not overlook before they trust what is below. */
export function noticesOf({ one }: Pick<Sheet, 'one'>, { absentSince, verified, reported }: RecordView): Section[] {
  if (absentSince !== null) {
    const text =
      'Its lists were read, and it is not among them. Ship and pay nothing on it: a test send, another environment, or a secret in wrong hands looks like this.';
    return [notice('bad', `The service does not list this ${one}`, text)];
  }
  if (!verified) {
    const text = `The service’s own list has not shown this ${one} yet, or what is newer than it. It is polled by itself within seconds. Until then nothing is released on it.`;
    return [notice('info', 'Reported, not verified yet', text)];
  }
  if (reported === null) return [];
  const text = `What only webhooks say of this ${one} stands under “Only reported”. It may hold an order until the service is read again, and releases none.`;
  return [notice('info', 'A webhook says otherwise than the service’s list', text)];
}
