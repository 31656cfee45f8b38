import type { BreakKind } from '../breaks/breaks.js';
import type { JsonObject } from '../json.js';
import { lackingEvents } from './secret-verdict.js';

/** A webhook endpoint as the service lists it (specification 2.12); null: not given. */
export interface ListedEndpoint {
  id: string;
  url: string | null;
  events: readonly string[] | null;
  isActive: boolean | null;
}

export interface EndpointFault {
  kind: BreakKind;
  id: string;
  evidence: JsonObject;
}

/**
 * What is wrong with our endpoints, all of the account's given. Together those of ours that are active have to subscribe
 * to all that is needed, and to all that an inactive one was for: an old endpoint that is switched off while a newer one
 * has taken its place is no finding. Where no endpoint is ours, the finding names our address.
 */
export function findEndpointFaults(
  listed: readonly ListedEndpoint[],
  { own, needed }: { own: OwnAddress; needed: readonly string[] },
): EndpointFault[] {
  const ours = listed.filter(({ url }) => isOwnUrl(url, own) === true);
  const address = own.publicUrl ?? own.webhookPath;
  if (ours.length === 0) {
    const evidence = { ours: { url: address }, theirs: { endpoints: listed.map(({ url }) => url) } };
    return [{ kind: 'endpoint_inactive', id: address, evidence }];
  }
  const active = ours
    .filter(({ isActive }) => isActive !== false)
    .map(({ id, url, events }) => ({ id, url, events: events ?? ['*'] }));
  const covered = active.flatMap(({ events }) => events);
  const idle = ours.filter(({ isActive, events }) => {
    const isMissed = active.length === 0 || lackingEvents(events ?? needed, covered).length > 0;
    return isActive === false && isMissed;
  });
  const lacking = lackingEvents(needed, covered);
  const [first] = active;
  const ofNeeded = { needed: [...needed] };
  const faults = idle.map(({ id, url }): EndpointFault => {
    return { kind: 'endpoint_inactive', id, evidence: { ours: ofNeeded, theirs: { url, isActive: false } } };
  });
  if (first === undefined || lacking.length === 0) return faults;
  const theirs = { url: first.url, events: [...first.events], lacking };
  return [...faults, { kind: 'endpoint_unsubscribed', id: first.id, evidence: { ours: ofNeeded, theirs } }];
}

/** How our endpoint is distinguished from another system's (WEBHOOK_PUBLIC_URL, WEBHOOK_PATH). */
export interface OwnAddress {
  publicUrl: string | null;
  webhookPath: string;
}

/** It equals our public address, or, where that is not set, has our path. Null: it is no address. */
export function isOwnUrl(url: string | null, { publicUrl, webhookPath }: OwnAddress): boolean | null {
  const given = addressOf(url);
  if (given === null) return null;
  const ours = addressOf(publicUrl);
  if (ours === null) return pathOf(given) === webhookPath.replace(/\/+$/, '');
  return given.origin === ours.origin && pathOf(given) === pathOf(ours) && given.search === ours.search;
}

const addressOf = (url: string | null): URL | null => (url !== null && URL.canParse(url) ? new URL(url) : null);

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '');
