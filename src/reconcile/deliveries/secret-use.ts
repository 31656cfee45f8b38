import type { Knex } from 'knex';
import { autoResolveBreaks, openBreaks } from '../../records/breaks/breaks.js';
import { endpointsById } from '../../records/deliveries/listed-endpoints.js';
import { retiredSecretUse } from '../../records/deliveries/secret-endpoints.js';
import type { RunContext } from '../deps.js';

/** After a retirement deliveries that were on their way may still come. */
const ON_THEIR_WAY_MS = 60_000;
/** An endpoint that was given nothing for so long may be taken to be gone. */
const QUIET_MS = 86_400_000;

/**
 * A retired secret whose endpoint is still given new events signs for nobody: the old endpoint is to be deleted. Returns
 * how many such breaks were opened; they resolve themselves when the endpoint is gone or quiet for a day.
 */
export async function saveSecretUse(trx: Knex.Transaction, { deps, source }: RunContext): Promise<number> {
  const uses = await retiredSecretUse(trx);
  const endpoints = await endpointsById(
    trx,
    uses.map(({ endpointId }) => endpointId),
  );
  const now = deps.client.serviceNow();
  const inUse = uses.filter(({ endpointId, delivery, retiredAt }) => {
    const at = delivery?.createdAt.getTime() ?? 0;
    const isGone = endpoints.get(endpointId)?.gone ?? false;
    return !isGone && at > retiredAt.getTime() + ON_THEIR_WAY_MS && at > now - QUIET_MS;
  });
  const still = new Set(inUse.map(({ label }) => label));
  const entity = (label: string) => ({ kind: 'secret' as const, id: label });
  await autoResolveBreaks(
    trx,
    uses
      .filter(({ label }) => !still.has(label))
      .map(({ label }) => ({ kind: 'secret_still_in_use', entity: entity(label) })),
  );
  return openBreaks(
    trx,
    inUse.map(({ label, endpointId, retiredAt, delivery }) => ({
      kind: 'secret_still_in_use',
      entity: entity(label),
      evidence: {
        ours: { retiredAt: retiredAt.toISOString() },
        theirs: { endpointId, delivery: delivery?.id ?? null, createdAt: delivery?.createdAt.toISOString() ?? null },
        source: { ...source },
      },
    })),
  );
}
