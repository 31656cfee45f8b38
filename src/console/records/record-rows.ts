import { textField } from '../../domain/records.js';
import type { RecordView } from '../../domain/views/record-shape.js';
import type { PageRequest } from '../page.js';
import { inPath, orderHref } from '../view/links.js';
import { recordFor } from '../view/personal.js';
import { howKnown, stateBadge } from '../view/record-words.js';
import type { TableSection } from '../view/sections.js';
import { badge, id, list, none, text, time, type Value } from '../view/values.js';
import { fieldLabel, fieldValue, isAmountField } from './field-value.js';
import type { Sheet } from './sheet.js';

/** By record; null: records of the kind belong to no order. */
export type OrdersOf = ReadonlyMap<string, string[]> | null;

export function columnsOf(sheet: Sheet, withOrder = isOrdered(sheet)): TableSection['columns'] {
  return [
    { label: 'ID' },
    ...(hasStates(sheet) ? [{ label: 'State' }] : []),
    { label: 'Known' },
    ...(withOrder ? [{ label: 'Order' }] : []),
    ...sheet.columns.map((field) =>
      isAmountField(sheet.kind, field)
        ? ({ label: fieldLabel(sheet.kind, field), align: 'end' } as const)
        : { label: fieldLabel(sheet.kind, field) },
    ),
    { label: 'Created' },
  ];
}

/** A record in a list. `orders` is null where the list does not show them. */
export function rowOf(
  sheet: Sheet,
  record: RecordView,
  { req, orders }: { req: PageRequest; orders: OrdersOf },
): Value[] {
  const fields = recordFor(req.actor, sheet.kind, record);
  return [
    id(record.id, recordHref(sheet, record.id)),
    ...(hasStates(sheet) ? [list(statesOf(record))] : []),
    howKnown(record),
    ...(orders === null ? [] : [orderValue(orders.get(record.id) ?? [])]),
    ...sheet.columns.map((field) => fieldValue(sheet.kind, fields, field)),
    time(textField(record, 'createdAt')),
  ];
}

/** A row for one that is named and was not read yet. */
export function unreadRow(sheet: Sheet, own: string, width: number): Value[] {
  const rest = Array.from({ length: Math.max(0, width - 2) }, () => none());
  return [id(own, recordHref(sheet, own)), none('not read yet'), ...rest];
}

/** Its state, and its dispute where there is one. */
export function statesOf(record: RecordView): Value[] {
  const dispute = textField(record, 'irregularStatus') ?? 'none';
  const status = textField(record, 'status');
  const reported = status === null && record.reported !== null ? textField(record.reported, 'status') : null;
  return [
    ...(status === null ? [] : [stateBadge('status', status)]),
    ...(reported === null ? [] : [badge(`reported: ${reported.replaceAll('_', ' ')}`, 'quiet')]),
    ...(dispute === 'none' ? [] : [badge(`dispute: ${dispute.replaceAll('_', ' ')}`, 'warn')]),
  ];
}

export function orderValue(references: readonly string[]): Value {
  if (references.length === 0) return text('unlinked');
  return list(references.map((reference) => id(reference, orderHref(reference))));
}

function recordHref({ path }: Sheet, own: string): string {
  return `${path}/${inPath(own)}`;
}

function isOrdered({ kind }: Sheet): boolean {
  return kind === 'payment_intent' || kind === 'payin' || kind === 'invoice' || kind === 'payout';
}

function hasStates({ filters }: Sheet): boolean {
  return filters.includes('status');
}
