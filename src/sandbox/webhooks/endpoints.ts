import { createIdCodec, type IdCodec } from '../base/ids.js';
import { hexOf } from '../base/random.js';
import { existing, invalid } from '../base/refusal.js';

export interface Endpoint {
  id: string;
  url: string;
  events: string[];
  isActive: boolean;
  isDeleted: boolean;
  createdAt: number;
  /** Revealed once, at creation. */
  secret: string;
}

/** What an endpoint gets that subscribes to `*`. */
const EVENT_TYPES: readonly string[] = [
  'payment_intent.created',
  'payment_intent.pending',
  'payment_intent.confirming',
  'payment_intent.completed',
  'payment_intent.expired',
  'payment_intent.unmatched',
  'payment_intent.cancelled',
  'payment_intent.dispute_opened',
  'payment_intent.dispute_encashed',
  'payment_intent.dispute_refunded',
  'invoice.created',
  'invoice.sent',
  'invoice.paid',
  'invoice.expired',
  'invoice.cancelled',
  'payout.created',
  'payout.under_review',
  'payout.approved',
  'payout.broadcast',
  'payout.confirmed',
  'payout.failed',
  'wallet_account.deposit.completed',
  'wallet_account.transfer.completed',
];

export interface NewEndpoint {
  url: string;
  /** Event types; `*` stands for all there are. Default: all. */
  events?: readonly string[] | undefined;
  /** For an environment that shares a secret with another. Default: a new one. */
  secret?: string | undefined;
}

export interface Endpoints {
  create(input: NewEndpoint): Endpoint;
  get(id: string): Endpoint;
  setActive(id: string, isActive: boolean): Endpoint;
  remove(id: string): void;
  /** Newest first. */
  list(): Endpoint[];
  subscribers(eventType: string): Endpoint[];
}

export function createEndpoints({ seed, now }: { seed: number; now: () => number }): Endpoints {
  const ids: IdCodec = createIdCodec(seed, 'we');
  const all: Endpoint[] = [];
  const get = (id: string): Endpoint =>
    existing(
      all.find((one) => one.id === id && !one.isDeleted),
      'webhook endpoint',
    );
  return {
    get,
    create({ url, events = ['*'], secret }) {
      if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) throw invalid('url must be an http or https address');
      const number = all.length;
      const endpoint: Endpoint = {
        id: ids.encode(number),
        url,
        events: events.includes('*') ? [...EVENT_TYPES] : [...events],
        isActive: true,
        isDeleted: false,
        createdAt: now(),
        secret: secret ?? `whsec_${hexOf(seed, 'secret', number, 48)}`,
      };
      all.push(endpoint);
      return endpoint;
    },
    setActive(id, isActive) {
      const endpoint = get(id);
      endpoint.isActive = isActive;
      return endpoint;
    },
    remove(id) {
      const endpoint = get(id);
      endpoint.isActive = false;
      endpoint.isDeleted = true;
    },
    list: () => all.filter(({ isDeleted }) => !isDeleted).reverse(),
    subscribers: (eventType) => all.filter(({ isActive, events }) => isActive && events.includes(eventType)),
  };
}

/** The record of specification 2.12: never with the secret. */
export function endpointRecord({ id, url, events, isActive, createdAt }: Endpoint): object {
  return { id, url, events, isActive, createdAt: new Date(createdAt).toISOString() };
}
