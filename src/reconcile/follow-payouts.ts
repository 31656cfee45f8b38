import { boundedTimestamp, deliveredEvent } from '../domain/deliveries/delivery-payload.js';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { objectFromJsonText } from '../domain/json-text.js';
import type { Observation } from '../domain/observation.js';
import { payoutClaim } from '../domain/payout-claim.js';
import { textField } from '../domain/records.js';
import { instantMs } from '../records/database/instant.js';
import { saveObservations } from '../records/save-observations.js';
import { NotFoundError, RefusedError } from '../service-api/service-errors.js';
import type { RunContext } from './deps.js';
import { writeFenced } from './write-fenced.js';

/** A payout has few events; where more come the filter is not honoured, and further pages would be of others. */
const PAGE = 100;

export interface Followed {
  asked: number;
  /** Of so many the delivery history spoke. */
  shown: number;
}

export type Following = Pick<RunContext, 'deps' | 'tally' | 'signal'> & { fence: RunContext['fence'] | null };

/**
 * Where the service has no list of payouts: what its delivery history says of each of these (specification 4.22). A
 * delivery's payload is what an event claimed at its time, so it is saved as a claim and never verifies anything.
 */
export async function followPayouts(following: Following, ids: readonly string[]): Promise<Followed> {
  const followed: Followed = { asked: 0, shown: 0 };
  for (const id of ids) {
    following.signal?.throwIfAborted();
    followed.asked += 1;
    const claims = await claimsOf(following, id);
    if (claims.length === 0) continue;
    followed.shown += 1;
    await save(following, claims);
  }
  return followed;
}

async function claimsOf({ deps, tally, signal }: Following, id: string): Promise<Observation[]> {
  tally.calls += 1;
  const query = { payoutId: id, take: PAGE };
  try {
    const { data, to } = await deps.client.reply('listWebhookDeliveries', { query, ...(signal ? { signal } : {}) });
    return itemsOf(data).flatMap((delivery) => claimIn(delivery, { id, until: to }, deps.settings.eventIdPointer));
  } catch (error) {
    // What is wrong with one payout alone holds up none of the others.
    if (error instanceof NotFoundError || error instanceof RefusedError) return [];
    throw error;
  }
}

function claimIn(delivery: JsonObject, { id, until }: { id: string; until: number }, pointer: string): Observation[] {
  const event = deliveredEvent(delivery['payload'], pointer);
  const data = event === null ? null : (objectFromJsonText(event.text)['data'] ?? null);
  const fields = event === null || !isJsonObject(data) ? null : payoutClaim(event.event, data, id);
  if (event === null || fields === null) return [];
  const seconds = boundedTimestamp(event.timestamp, Math.min(latestOf(delivery) ?? until, until));
  const from = Math.floor(seconds * 1_000);
  const source = { type: 'delivery_history', ref: textField(delivery, 'id') ?? id } as const;
  const about = { kind: 'payout', id, from, to: from + 999, source } as const;
  return [Object.keys(fields).length > 1 ? { type: 'claim', ...about, fields } : { type: 'mention', ...about }];
}

function latestOf(delivery: JsonObject): number | null {
  const times = ['createdAt', 'lastAttemptAt'].map((name) => instantMs(textField(delivery, name) ?? undefined));
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function itemsOf(data: Json): JsonObject[] {
  const items = isJsonObject(data) ? data['items'] : data;
  return Array.isArray(items) ? items.filter((item) => isJsonObject(item)) : [];
}

async function save({ deps, tally, fence }: Following, observations: Observation[]): Promise<void> {
  const { db, now, adoptedAt, kytWords, requiresRegistration } = deps;
  tally.seen += 1;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    const context = { now: now(), adoptedAt, kytWords, requiresRegistration };
    const { changed, breaksOpened } = await saveObservations(trx, observations, context);
    return { changed, breaksOpened };
  });
}
