import { type EndpointFault, findEndpointFaults } from '../domain/deliveries/endpoint-rules.js';
import { type Json } from '../domain/json.js';
import { autoResolveBreaks, openBreaks } from '../records/breaks/breaks.js';
import { readEndpoint, resolvableEndpointBreaks } from '../records/deliveries/listed-endpoints.js';
import { listedIds } from '../records/runs/record-places.js';
import { saveObservations } from '../records/saving/save-observations.js';
import { ForbiddenError, NotFoundError } from '../service-api/service-errors.js';
import { type Outcome, outcomeOf, type RunContext } from './deps.js';
import { type Answer, ask, type Row, rowsOf, wholeList } from './service-reader.js';
import { saveContext, writeFenced } from './write-fenced.js';

/** Webhook endpoints (specification 4.21): one answer is the whole list. It is reserved for business accounts. */
export async function reconcileEndpoints(run: RunContext): Promise<Outcome> {
  const answer = await readEndpoints(run);
  if (answer === null) return outcomeOf(['degraded: the service does not show this account its webhook endpoints'], {});
  const items = Array.isArray(answer.data) ? answer.data : null;
  const rows = rowsOf(items ?? []);
  // A row without an id would look like an endpoint that is gone.
  if (rows.length !== items?.length) return outcomeOf(['the answer is no list of endpoints with ids'], {});
  run.tally.seen += rows.length;
  run.progress({ seen: rows.length, calls: run.tally.calls, oldest: null, total: rows.length });
  const { settings, contract } = run.deps;
  const faults = findEndpointFaults(
    rows.map(({ id, fields }) => readEndpoint(id, fields)),
    { own: settings, needed: contract.events.needed },
  );
  await save(run, answer, rows, faults);
  const proof = { endpoints: rows.length, readAt: new Date(answer.from).toISOString(), findings: faults.length };
  return outcomeOf([], proof);
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
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const observations = wholeList({ kind: 'endpoint', from, to, source }, rows, await listedIds(trx, 'endpoint'));
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
