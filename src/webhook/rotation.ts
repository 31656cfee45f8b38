import type { Knex } from 'knex';
import type { SecretsFrom } from '../domain/deliveries/last-secret.js';
import { putRightSecret, type ReplacedEndpoint, replacedWords } from '../domain/deliveries/replaced-endpoint.js';
import { leakOf, leakWords } from '../domain/deliveries/secret-leak.js';
import { classifySecret, type Overlap, type SecretFacts } from '../domain/deliveries/secret-verdict.js';
import type { SecretStatus } from '../domain/views/webhook-shapes.js';
import { endpointsById, type KnownEndpoint } from '../records/deliveries/listed-endpoints.js';
import { historyReason, type ReportCounts, reportCounts } from '../records/deliveries/not-sent.js';
import { replacedEndpoints } from '../records/deliveries/secret-endpoints.js';
import { overlapOf, pendingDeliveries, type SecretEvidence, secretEvidence } from '../records/deliveries/secrets.js';
import { forgedSince } from '../records/inbox/rejections.js';
import { secretsFrom } from '../records/process-heartbeats.js';
import { historyReadAt } from '../records/runs/coverage.js';
import { fingerprintOf, type SigningSecret } from './verify-signature.js';

/** A complete poll of the delivery history counts for so long. */
const HISTORY_FRESH_MS = 30 * 60_000;
/** For so long after a poll the history says whether the service sent what came. */
const HISTORY_VALID_MS = 86_400_000;
/** What was rejected so long ago says nothing of the secrets as they are now. */
const REJECTED_MS = 86_400_000;

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
  const history = { readAt: await historyReadAt(db), reason: await historyReason(db) };
  const counts = await reportCounts(db);
  const rejected = await forgedSince(db, new Date(now.getTime() - REJECTED_MS));
  const replaced = await replacedEndpoints(db);
  const around = { known, endpoints, replaced, history, counts, rejected, secretsFrom: await secretsFrom(db), now };
  const items: SecretStatus[] = [];
  for (const one of known) items.push(await statusOf(db, one, around));
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
  around: Around,
): Promise<SecretStatus> {
  const { known, now } = around;
  const { readAt } = around.history;
  const others = known.map((other) => other.facts).filter(({ label }) => label !== secret.label);
  const overlaps = new Map<string, Overlap>();
  for (const other of others) overlaps.set(other.label, await overlapWith(db, facts, other, around));
  const { verdict, missing, successor, next } = classifySecret({
    secret: facts,
    others,
    overlap: (label) => overlaps.get(label) ?? NO_OVERLAP,
    historyKnown: isWithin(readAt, now, HISTORY_FRESH_MS),
    rejected: around.rejected,
    secretsFrom: around.secretsFrom,
  });
  const leak = leakOfSecret({ facts, own }, around);
  const replaced = own === null ? undefined : around.replaced.find(({ label }) => label === secret.label);
  const overlap = successor === null ? undefined : overlaps.get(successor);
  return {
    label: secret.label,
    fingerprint,
    firstMatchAt: own?.firstMatchAt?.toISOString() ?? null,
    lastMatchAt: own?.lastMatchAt?.toISOString() ?? null,
    matches24h: own?.matches24h ?? 0,
    endpointId: own?.endpointId ?? null,
    replacedBy: replaced === undefined ? null : { id: replaced.id, createdAt: replaced.createdAt },
    verdict,
    missing,
    successor,
    overlap: overlap === undefined ? null : { both: overlap.both, onlyThis: overlap.onlyOldCount },
    retiredAt: retiredAt?.toISOString() ?? null,
    ...leak,
    next:
      (replaced === undefined
        ? null
        : `${replacedWords(replaced)} ${putRightSecret([replaced], around.secretsFrom)}`) ??
      (retiredAt === null ? leakWords({ label: secret.label, ...leak }) : null) ??
      next,
  };
}

interface Around {
  known: readonly Known[];
  endpoints: ReadonlyMap<string, KnownEndpoint>;
  replaced: readonly ReplacedEndpoint[];
  history: { readAt: Date | null; reason: string | null };
  counts: ReadonlyMap<string, ReportCounts>;
  rejected: number;
  secretsFrom: SecretsFrom;
  now: Date;
}

function leakOfSecret({ facts, own }: Pick<Known, 'facts' | 'own'>, { endpoints, history, counts, now }: Around) {
  const found = own === null ? undefined : counts.get(facts.label);
  const endpoint = facts.endpoint === null ? undefined : endpoints.get(facts.endpoint.id);
  return leakOf({
    secret: facts,
    hasMatched: own?.firstMatchAt != null,
    notSent: found?.notSent ?? 0,
    unmatched: found?.unmatched ?? 0,
    lacking: found?.lacking ?? 0,
    endpointListed: endpoint?.gone === false,
    historyKnown: isWithin(history.readAt, now, HISTORY_VALID_MS),
    historyReason: history.reason,
  });
}

const isWithin = (at: Date | null, now: Date, ms: number): boolean => at !== null && now.getTime() - at.getTime() <= ms;

const NO_OVERLAP: Overlap = { both: 0, onlyOld: [], onlyOldCount: 0 };

/** It begins when the newer endpoint was made; where that is not shown, with the first match of its secret. */
async function overlapWith(
  db: Knex,
  old: SecretFacts,
  other: SecretFacts,
  { endpoints, history: { readAt } }: Around,
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
