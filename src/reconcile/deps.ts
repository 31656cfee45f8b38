import type { Knex } from 'knex';
import type { Json, JsonObject } from '../domain/json.js';
import type { KytWords } from '../domain/kyt.js';
import type { Logger } from '../log.js';

/** The kinds that can be reconciled, as the command line and the run rows name them. */
export const kinds = ['payment-intents'] as const;
export type Kind = (typeof kinds)[number];

/** What the service answered; `from` and `to` enclose the request, in milliseconds of the service's clock. */
interface Answer<T> {
  data: T;
  from: number;
  to: number;
}

/** One page of a list of the service, newest first. `cursor` is the id of the row before the page's first. */
export interface PageQuery {
  take: number;
  cursor?: string;
  status?: string;
}

export type PageReader = (query: PageQuery) => Promise<Answer<JsonObject[]>>;

/** The part of MerchantClient that the reconcilers use. It rejects with a ServiceError. */
export interface ServiceReader {
  reply(
    operation: 'listPaymentIntents' | 'getPayin',
    request: { path?: Record<string, string>; query?: Record<string, string | number>; signal?: AbortSignal },
  ): Promise<Answer<Json>>;
  /** The likeliest time of the service's clock, ms. */
  serviceNow(): number;
}

export interface ReconcileDeps {
  db: Knex;
  /** For the connection of its own that holds the lock. */
  databaseUrl: string;
  log: Logger;
  now: () => Date;
  client: ServiceReader;
  adoptedAt: Date;
  /** How the account's compliance results are read; left out: domain/kyt.ts. */
  kytWords?: KytWords;
  metrics?: { reconcileLastSuccess: { set(labels: { kind: string }, value: number): void } };
}
