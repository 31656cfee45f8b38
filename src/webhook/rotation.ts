import type { Knex } from 'knex';
import type { SecretStatus } from '../domain/deliveries/secret-status.js';
import { judgeSecret, type Overlap, type SecretFacts } from '../domain/deliveries/secret-verdict.js';
import { endpointsById, type KnownEndpoint } from '../records/deliveries/listed-endpoints.js';
import { historyReadAt, overlapOf, pendingDeliveries } from '../records/deliveries/secret-overlap.js';
import { type SecretEvidence, secretEvidence } from '../records/deliveries/secrets.js';
import { fingerprintOf } from './fingerprint.js';
import type { SigningSecret } from './match-signature.js';

/** A complete reading of the delivery history counts for so long. */
const HISTORY_FRESH_MS = 30 * 60_000;

interface Known {
  secret: SigningSecret;
  fingerprint: string;
  /** Null: nothing is known of this very secret. */
  own: SecretEvidence | null;
  retiredAt: Date | null;
  facts: SecretFacts;
}

/**
 * The evidence for a rotation, for each configured secret and in that order (algorithms: "Secret rotation").
 * `pendingStates`: the words of the service for a delivery that is not final.
 */
export async function secretsStatus(
  db: Knex,
  configured: readonly SigningSecret[],
  now: Date = new Date(),
  pendingStates: readonly string[] = ['pending'],
): Promise<{ items: SecretStatus[] }> {
  const evidence = await secretEvidence(db, now);
  const endpointIds = [...evidence.values()].flatMap(({ endpointId }) => endpointId ?? []);
  const endpoints = await endpointsById(db, endpointIds);
  const known: Known[] = [];
  for (const secret of configured) {
    const fingerprint = fingerprintOf(secret.secret);
    const found = evidence.get(secret.label);
    // What another secret of the same name did says nothing of this one.
    const own = found?.fingerprint === fingerprint ? found : null;
    const retiredAt = found?.retiredAt ?? null;
    const pending = own?.endpointId == null ? 0 : await pendingDeliveries(db, own.endpointId, { pendingStates, now });
    const facts = factsOf(secret.label, { own, retiredAt, endpoints, pending });
    known.push({ secret, fingerprint, own, retiredAt, facts });
  }
  const readAt = await historyReadAt(db);
  const items: SecretStatus[] = [];
  for (const one of known) items.push(await statusOf(db, one, { known, endpoints, readAt, now }));
  return { items };
}

function factsOf(
  label: string,
  known: Pick<Known, 'own' | 'retiredAt'> & { endpoints: ReadonlyMap<string, KnownEndpoint>; pending: number },
): SecretFacts {
  const { own, retiredAt, endpoints, pending } = known;
  const id = own?.endpointId ?? null;
  const listed = id === null ? undefined : endpoints.get(id);
  return {
    label,
    retired: retiredAt !== null,
    firstMatchAt: own?.firstMatchAt?.getTime() ?? null,
    endpoint:
      id === null
        ? null
        : {
            id,
            isActive: listed === undefined ? null : listed.isActive !== false && !listed.gone,
            events: listed?.events ?? null,
          },
    pending,
  };
}

async function statusOf(
  db: Knex,
  { secret, fingerprint, own, retiredAt, facts }: Known,
  around: { known: readonly Known[]; endpoints: ReadonlyMap<string, KnownEndpoint>; readAt: Date | null; now: Date },
): Promise<SecretStatus> {
  const { known, readAt, now } = around;
  const others = known.map((other) => other.facts).filter(({ label }) => label !== secret.label);
  const overlaps = new Map<string, Overlap>();
  for (const other of others) overlaps.set(other.label, await overlapWith(db, facts, other, around));
  const { verdict, missing, successor, next } = judgeSecret({
    secret: facts,
    others,
    overlap: (label) => overlaps.get(label) ?? NO_OVERLAP,
    historyKnown: readAt !== null && now.getTime() - readAt.getTime() <= HISTORY_FRESH_MS,
  });
  const overlap = successor === null ? undefined : overlaps.get(successor);
  return {
    label: secret.label,
    fingerprint,
    firstMatchAt: own?.firstMatchAt?.toISOString() ?? null,
    lastMatchAt: own?.lastMatchAt?.toISOString() ?? null,
    matches24h: own?.matches24h ?? 0,
    endpointId: own?.endpointId ?? null,
    verdict,
    missing,
    successor,
    overlap: overlap === undefined ? null : { both: overlap.both, onlyThis: overlap.onlyOldCount },
    retiredAt: retiredAt?.toISOString() ?? null,
    next,
  };
}

const NO_OVERLAP: Overlap = { both: 0, onlyOld: [], onlyOldCount: 0 };

/** It begins when the newer endpoint was made; where that is not shown, with the first match of its secret. */
async function overlapWith(
  db: Knex,
  old: SecretFacts,
  other: SecretFacts,
  { endpoints, readAt }: { endpoints: ReadonlyMap<string, KnownEndpoint>; readAt: Date | null },
): Promise<Overlap> {
  if (old.endpoint === null || other.endpoint === null || readAt === null) return NO_OVERLAP;
  const since = endpoints.get(other.endpoint.id)?.createdAt ?? other.firstMatchAt;
  if (since === null) return NO_OVERLAP;
  return overlapOf(db, {
    old: { label: old.label, endpointId: old.endpoint.id },
    successor: { label: other.label, endpointId: other.endpoint.id },
    since,
    readAt,
  });
}
