import type { Knex } from 'knex';
import type { BreakKind } from '../../domain/breaks/breaks.js';
import type { BreakRef } from '../breaks/breaks.js';

const KINDS: readonly BreakKind[] = ['endpoint_inactive', 'endpoint_unsubscribed'];

/** The open breaks of endpoints that the newest poll of all of them does not find any more. */
export async function resolvableEndpointBreaks(db: Knex, found: readonly BreakRef[]): Promise<BreakRef[]> {
  const open: { kind: BreakKind; entity_id: string }[] = await db('breaks')
    .select('kind', 'entity_id')
    .whereIn('kind', [...KINDS])
    .whereIn('status', ['open', 'acknowledged']);
  return open
    .map(({ kind, entity_id }) => ({ kind, entity: { kind: 'endpoint' as const, id: entity_id } }))
    .filter(({ kind, entity }) => !found.some((one) => one.kind === kind && one.entity.id === entity.id));
}
