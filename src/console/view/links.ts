import { kinds } from '../../domain/kinds/kinds.js';
import type { EntityKind, RecordKind } from '../../domain/records.js';
import type { TableSection } from './sections.js';

/** Where a list is shown: which part of it, and what of it. */
export interface ListAddress {
  path: string;
  /** Only the page's filters, and only those that are not empty. */
  filters: Readonly<Record<string, string>>;
  cursor?: string;
}

/** The addresses of the first and the next page of a list, with its filters. */
export function paging(req: ListAddress, nextCursor: string | null): Pick<TableSection, 'first' | 'next'> {
  return {
    first: req.cursor === undefined ? undefined : address(req.path, req.filters),
    next: nextCursor === null ? undefined : address(req.path, { ...req.filters, cursor: nextCursor }),
  };
}

function address(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

export const orderHref = (reference: string): string => `/orders/${inPath(reference)}`;
export const eventHref = (id: string): string => `/events/${inPath(id)}`;

/**
 * Any text as a part of an address. Half a surrogate pair, which a customer may put into a reference, has no place in one:
 * such a link leads nowhere, but the page that holds it is shown.
 */
export function inPath(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));
}

export const breakHref = (id: string): string => `/breaks/${inPath(id)}`;
export const periodHref = (month: string): string => `/periods/${inPath(month)}`;
export const runHref = (id: string): string => `/runs/${inPath(id)}`;

const otherPaths: Readonly<Record<Exclude<EntityKind, RecordKind | 'secret'>, string>> = {
  delivery: '/deliveries',
  order: '/orders',
  event: '/events',
};

/** Where whatever a break or a change is about is shown. */
export function entityHref(kind: EntityKind, id: string): string {
  if (kind === 'secret') return '/secrets';
  const path = kind in otherPaths ? otherPaths[kind as keyof typeof otherPaths] : kinds[kind as RecordKind].href;
  return `${path}/${inPath(id)}`;
}
