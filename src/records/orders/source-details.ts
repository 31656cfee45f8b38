import type { Knex } from 'knex';
import type { Change } from '../../domain/views/proof-shapes.js';
import { isRowId } from '../database/row-id.js';

/** The event or the run behind an observation. `at`: when it came in, or began; ISO 8601 UTC. */
export interface SourceDetail {
  /** The event's type, or the kind of the run. */
  name: string;
  at: string;
}

type Source = Change['source'];

/** Looks up the stored events and runs that are named; null for whatever has no row (any more). */
export async function sourceDetails(
  db: Knex,
  sources: readonly Source[],
): Promise<(source: Source) => SourceDetail | null> {
  const idsOf = (isWanted: (source: Source) => boolean): string[] => [
    ...new Set(sources.filter((source) => isWanted(source) && isRowId(source.ref)).map(({ ref }) => ref)),
  ];
  const events = await db<{ id: string; event_type: string; received_at: Date }>('inbox')
    .select('id', 'event_type', 'received_at')
    .whereIn('id', idsOf(isEvent));
  const runs = await db<{ id: string; kind: string; started_at: Date }>('runs')
    .select('id', 'kind', 'started_at')
    .whereIn('id', idsOf(isPoll));
  const byEvent = new Map(
    events.map((row) => [row.id, { name: row.event_type, at: row.received_at.toISOString() }] as const),
  );
  const byRun = new Map(runs.map((row) => [row.id, { name: row.kind, at: row.started_at.toISOString() }] as const));
  return (source) => {
    if (isEvent(source)) return byEvent.get(source.ref) ?? null;
    return isPoll(source) ? (byRun.get(source.ref) ?? null) : null;
  };
}

function isEvent({ type }: Source): boolean {
  return type === 'webhook' || type === 'delivery_history';
}

function isPoll({ type }: Source): boolean {
  return type === 'poll';
}
