import type { ListedKind } from '../../records/runs/record-places.js';
import type { Kind } from '../deps.js';

/** A list of the service that is paged by cursor, newest first (specification 4), and what makes it its own. */
export interface ListPlan {
  kind: Kind;
  record: ListedKind;
  operation: 'listPaymentIntents' | 'listInvoices' | 'listPayouts';
  /** Values of the status filter whose records are few and move within hours: read whole on each tick. */
  activeStates: readonly string[];
  /** Values whose records may stay for weeks: the older ones are read hourly. */
  waitingStates: readonly string[];
}
