import { kinds } from '../../domain/kinds/kinds.js';
import type { EntityKind, RecordKind } from '../../domain/records.js';

export const orderHref = (reference: string): string => `/orders/${inPath(reference)}`;
export const eventHref = (id: string): string => `/events/${inPath(id)}`;

/**
 * Any text as a part of an address. Half a surrogate pair, which a customer may put into a reference, has no place in one:
 * such a link leads nowhere, but the page that holds it is shown.
 */
export const inPath = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));

export const breakHref = (id: string): string => `/breaks/${inPath(id)}`;
export const alertHref = (id: string): string => `/alerts/${inPath(id)}`;
export const periodHref = (month: string): string => `/periods/${inPath(month)}`;
export const decisionHref = (id: string): string => `/decisions/${inPath(id)}`;
export const settlementHref = (payoutId: string): string => `/settlements/${inPath(payoutId)}`;
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

export type Query = Readonly<Record<string, string>>;

export function withQuery(path: string, query: Query): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}
