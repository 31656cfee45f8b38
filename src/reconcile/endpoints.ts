import { type EndpointFault, findEndpointFaults } from '../domain/deliveries/endpoint-rules.js';
import { type Json } from '../domain/json.js';
import type { Observation } from '../domain/observation.js';
import { autoResolveBreaks, openBreaks } from '../records/breaks/breaks.js';
import { listedEndpointIds, readEndpoint, resolvableEndpointBreaks } from '../records/deliveries/listed-endpoints.js';
import { saveObservations } from '../records/saving/save-observations.js';
import { ForbiddenError, NotFoundError } from '../service-api/service-errors.js';
import type { Outcome, RunContext } from './deps.js';
import { type Answer, ask, type Row, rowsOf } from './service-reader.js';
import { saveContext, writeFenced } from './write-fenced.js';

/** Webhook endpoints (specification 4.21): one answer is the whole list. It is reserved for business accounts. */
export async function reconcileEndpoints(run: RunContext): Promise<Outcome> {
  const answer = await readEndpoints(run);
  if (answer === null) return unproven('degraded: the service does not show this account its webhook endpoints');
  const items = Array.isArray(answer.data) ? answer.data : null;
  const rows = rowsOf(items ?? []);
  // A row without an id would look like an endpoint that is gone.
  if (rows.length !== items?.length) return unproven('the answer is no list of endpoints with ids');
  run.tally.seen += rows.length;
  run.progress({ seen: rows.length, calls: run.tally.calls, oldest: null, total: rows.length });
  const { settings, contract } = run.deps;
  const faults = findEndpointFaults(
    rows.map(({ id, fields }) => readEndpoint(id, fields)),
    { own: settings, needed: contract.events.needed },
  );
  await save(run, answer, rows, faults);
  const proof = { endpoints: rows.length, readAt: new Date(answer.from).toISOString(), findings: faults.length };
  return { complete: true, proof, watermarks: new Map() };
}

async function readEndpoints(run: RunContext): Promise<Answer<Json> | null> {
  try {
    return await ask(run, 'listWebhookEndpoints');
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) return null;
    throw error;
  }
}

async function save(
  run: RunContext,
  { from, to }: Answer<Json>,
  rows: readonly Row[],
  faults: readonly EndpointFault[],
): Promise<void> {
  const { deps, source } = run;
  const about = { kind: 'endpoint', from, to, source } as const;
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const listed = new Set(rows.map(({ id }) => id));
    const gone = (await listedEndpointIds(trx)).filter((id) => !listed.has(id));
    const observations: Observation[] = [
      ...rows.map(({ id, fields }): Observation => ({ type: 'poll', id, fields, ...about })),
      ...gone.map((id): Observation => ({ type: 'absence', id, ...about })),
    ];
    const { changed, breaksOpened } = await saveObservations(trx, observations, saveContext(deps));
    const wanted = faults.map(({ kind, id, evidence }) => ({
      kind,
      entity: { kind: 'endpoint' as const, id },
      evidence: { ...evidence, source: { ...source } },
    }));
    await autoResolveBreaks(trx, await resolvableEndpointBreaks(trx, wanted));
    return { changed, breaksOpened: breaksOpened + (await openBreaks(trx, wanted)) };
  });
}

function unproven(reason: string): Outcome {
  return { complete: false, proof: { reason }, watermarks: new Map() };
}
