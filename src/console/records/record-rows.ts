import type { Actor } from '../../domain/console-roles.js';
import { words } from '../../domain/in-words.js';
import { fieldOf, type RecordKind } from '../../domain/kinds/kinds.js';
import { textField } from '../../domain/records.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import { fieldLabel, fieldValue, isAmountField } from '../view/field-value.js';
import { entityHref, orderHref } from '../view/links.js';
import { recordFor } from '../view/personal.js';
import { howKnown, stateBadge } from '../view/record-words.js';
import { type Column, notice, type Section } from '../view/sections.js';
import { badge, id, list, text, time, type Value } from '../view/values.js';
import type { Sheet } from './sheet.js';

/** By record; null: records of the kind belong to no order. */
export type OrdersOf = ReadonlyMap<string, string[]> | null;

/** Columns of a list of records. `orders` is null where the list does not show them. */
export function columnsOf({ kind, filters, columns }: Sheet, actor: Actor, orders: OrdersOf): Column<RecordView>[] {
  return [
    ['ID', ({ id: own }) => id(own, entityHref(kind, own))],
    ...(filters.includes('status') ? [['State', (record: RecordView) => list(statesOf(record))] as const] : []),
    ['Known', howKnown],
    ...(orders === null ? [] : [['Order', ({ id }: RecordView) => orderValue(orders.get(id) ?? [])] as const]),
    ...columns.map((field): Column<RecordView> => {
      const cell = (record: RecordView) => fieldValue(kind, recordFor(actor, kind, record), field);
      const label = fieldLabel(kind, field);
      return isAmountField(kind, field) ? [label, cell, 'end'] : [label, cell];
    }),
    ...(isDated(kind) ? [['Created', (record: RecordView) => time(textField(record, 'createdAt'))] as const] : []),
  ];
}

/** Whether the service says when a record of the kind was made. */
export const isDated = (kind: RecordKind): boolean => fieldOf(kind, 'createdAt') !== null;

/** Its state, and its dispute where there is one. */
export function statesOf(record: RecordView): Value[] {
  const dispute = textField(record, 'irregularStatus') ?? 'none';
  const status = textField(record, 'status');
  const reported = status === null && record.reported !== null ? textField(record.reported, 'status') : null;
  return [
    ...(status === null ? [] : [stateBadge('status', status)]),
    ...(reported === null ? [] : [badge(`reported: ${words(reported)}`, 'quiet')]),
    ...(dispute === 'none' ? [] : [badge(`dispute: ${words(dispute)}`, 'warn')]),
  ];
}

export function orderValue(references: readonly string[]): Value {
  if (references.length === 0) return text('unlinked');
  return list(references.map((reference) => id(reference, orderHref(reference))));
}

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
