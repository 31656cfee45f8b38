import type { Json, JsonObject } from '../domain/json.js';
import type { ReadOperation } from '../service-api/operations.js';

/** What the service answered; `from` and `to` enclose the request, in milliseconds of the service's clock. */
export interface Answer<T> {
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

/** `more`: the service names a page below these rows, however few they are. Undefined: it says nothing of that. */
export type PageReader = (query: PageQuery) => Promise<Answer<JsonObject[]> & { more?: boolean }>;

/** The part of MerchantClient that the reconcilers use. It rejects with a ServiceError. */
export interface ServiceReader {
  /** Any operation that reads. Query parameters go by our names of the contract. */
  reply(
    operation: ReadOperation,
    request: { path?: Record<string, string>; query?: Record<string, string | number>; signal?: AbortSignal },
  ): Promise<Answer<Json> & { totalCount?: number | null }>;
  /** The likeliest time of the service's clock, ms. */
  serviceNow(): number;
}
