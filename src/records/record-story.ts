import type { Knex } from 'knex';
import type { RecordKind } from '../domain/records.js';
import type { BreakView } from './breaks/list-breaks.js';
import { openBreaksOf } from './breaks/open-breaks-of.js';
import { changesOf } from './changes.js';
import { deliveriesOfEvents, type EventDelivery } from './deliveries/event-deliveries.js';
import type { StoryStep } from './orders/order-story.js';
import { sourceDetails } from './orders/source-details.js';
import { getRecord, type RecordView } from './rows.js';

/** One record with all that made it what it is. */
export interface RecordStory {
  record: RecordView;
  /** Its newest changes, oldest first, each with its source. */
  timeline: StoryStep[];
  /** There are older changes than those. */
  hasOlder: boolean;
  /** Open or acknowledged. */
  breaks: BreakView[];
  /** What the service says it sent of the events behind the changes. */
  deliveries: EventDelivery[];
}

const LONGEST_STORY = 300;

/** Null when there is no such record. */
export async function recordStory(db: Knex, kind: RecordKind, id: string): Promise<RecordStory | null> {
  const record = await getRecord(db, kind, id);
  if (record === null) return null;
  const changes = await changesOf(db, { kind, id }, LONGEST_STORY + 1);
  const hasOlder = changes.length > LONGEST_STORY;
  const shown = hasOlder ? changes.slice(1) : changes;
  const sources = shown.map(({ source }) => source);
  const because = await sourceDetails(db, sources);
  const events = sources.flatMap(({ type, ref }) => (type === 'webhook' || type === 'delivery_history' ? [ref] : []));
  return {
    record,
    timeline: shown.map((change) => ({ ...change, because: because(change.source) })),
    hasOlder,
    breaks: await openBreaksOf(db, [{ kind, id }]),
    deliveries: await deliveriesOfEvents(db, events),
  };
}
