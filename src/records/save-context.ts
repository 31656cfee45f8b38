import { ownField } from '../domain/json.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import { MENTION } from '../domain/record-state.js';
import { instantMs } from './database/database-text.js';
import type { MergedRecord } from './stored-record.js';

export interface SaveContext extends ReleaseRules {
  now: Date;
  /** Records older than this are history: kept, but never a break. */
  adoptedAt: Date;
  /** The account shows results of its screening: a payin without one is read until it has one. Left out: no. */
  showsKyt?: boolean;
  /** The label of the secret that signed each webhook, by its inbox row; left out: not known. */
  secrets?: ReadonlyMap<string, string>;
}

/** Older than adoption, and no event has spoken of it since. */
export function isHistory({ shown, state }: MergedRecord, { adoptedAt }: SaveContext): boolean {
  const created = instantMs(ownField(shown.fields, 'createdAt'));
  if (created === null || created >= adoptedAt.getTime()) return false;
  return !state.claims.some((statement) => statement.state !== MENTION && statement.to >= adoptedAt.getTime());
}
