import { INTENT_STATUSES, type Intent, type IntentStatus, type Links } from './intent.js';
import {
  assetNumber,
  DIFFERS,
  DISPUTED,
  INVOICE,
  type IntentIndex,
  PRODUCT,
  REMOVED,
  STATUS_BITS,
  TERMINAL,
} from './intent-index.js';

export interface IntentFilter {
  status?: IntentStatus | 'irregular';
  assetCode?: string;
  productId?: string;
  posTerminalId?: string;
  invoiceId?: string;
}

export interface IntentPage {
  filter: IntentFilter;
  take: number;
  cursor: string | null;
  semantics: 'key' | 'orm' | 'list';
  /** `irregular` has each payment that has, or had, a dispute, whatever it received. */
  irregularHoldsDisputes?: boolean;
  /** `irregular` misses each payment that has, or had, a dispute. */
  hideDisputes?: boolean;
}

export interface PageDeps {
  index: IntentIndex;
  positionOf(id: string): number | null;
  at(position: number): Intent | null;
  links(position: number): Links;
}

/** One page, newest first; null for a cursor that is refused. Reads two bytes of each row passed over. */
export function readPage(query: IntentPage, deps: PageDeps): Intent[] | null {
  const matches = matcher(query, deps);
  const start = startOf(query, deps, matches);
  if (start === null) return null;
  const found: Intent[] = [];
  let skip = start.skip;
  for (let position = start.position; position >= 0 && found.length < query.take; position -= 1) {
    if (!matches(position)) continue;
    const intent = skip > 0 ? null : deps.at(position);
    if (intent) found.push(intent);
    else skip -= 1;
  }
  return found;
}

/** Where reading begins, downwards, and how many matching rows are left out first. */
function startOf(
  { cursor, semantics }: IntentPage,
  deps: PageDeps,
  matches: (position: number) => boolean,
): { position: number; skip: number } | null {
  if (cursor === null) return { position: deps.index.size() - 1, skip: 0 };
  const position = deps.positionOf(cursor);
  if (semantics === 'key') return position === null ? null : { position: position - 1, skip: 0 };
  const nothing = { position: -1, skip: 0 };
  if (position === null || deps.at(position) === null) return nothing;
  if (semantics === 'list') return matches(position) ? { position: position - 1, skip: 0 } : nothing;
  return { position, skip: 1 };
}

function matcher(
  { filter, irregularHoldsDisputes, hideDisputes }: IntentPage,
  deps: PageDeps,
): (position: number) => boolean {
  const { index } = deps;
  const { status, assetCode } = filter;
  const code = status === undefined || status === 'irregular' ? -1 : INTENT_STATUSES.indexOf(status);
  const irregular = status === 'irregular' ? DIFFERS | (irregularHoldsDisputes ? DISPUTED : 0) : 0;
  const hidden = status === 'irregular' && hideDisputes ? DISPUTED : 0;
  const asset = assetCode === undefined ? -1 : assetNumber(assetCode) || NO_ASSET;
  const linkBits = LINK_BITS.reduce((bits, [name, bit]) => (filter[name] === undefined ? bits : bits | bit), 0);
  const hasLinks = (position: number): boolean => {
    const links = deps.links(position);
    return LINK_BITS.every(([name]) => filter[name] === undefined || links[name] === filter[name]);
  };
  return (position) => {
    const flags = index.flags(position);
    if ((flags & STATUS_BITS) === REMOVED) return false;
    if (code >= 0 && (flags & STATUS_BITS) !== code) return false;
    if (irregular > 0 && (flags & irregular) === 0) return false;
    if ((flags & hidden) !== 0) return false;
    if (asset >= 0 && index.asset(position) !== asset) return false;
    return linkBits === 0 || ((flags & linkBits) === linkBits && hasLinks(position));
  };
}

/** No intent has this number: a filter by an asset that nobody knows finds nothing. */
const NO_ASSET = 255;

const LINK_BITS = [
  ['productId', PRODUCT],
  ['posTerminalId', TERMINAL],
  ['invoiceId', INVOICE],
] as const;
