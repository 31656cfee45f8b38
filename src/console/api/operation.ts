import type { z } from 'zod';
import type { Actor, Role } from '../../domain/console-roles.js';
import { decisionShape } from '../../domain/views/operation-shapes.js';
import type { Request } from '../../finance/decisions/decision-kind.js';
import type { ApiDeps } from '../api-deps.js';

/** How the document and the reference page are divided, in this order. */
export const groups = {
  Orders: 'What the store expects, what was paid, and whether goods may go out.',
  Payments: 'Payment intents, payins and invoices, as the service’s own lists show them.',
  Funds: 'Payouts, sub-wallets, their transactions, and settlement accounts.',
  Balances: 'Balances, held against all movements that the service lists.',
  Catalog: 'Products and assets.',
  Webhooks: 'Received events, rejected requests, deliveries, endpoints and signing secrets.',
  Proof: 'Breaks, runs, what is proven, and the feed of all changes.',
  Books: 'Double entry, and the months that are closed.',
  Operation: 'Callbacks to the store, alerts, and who did what.',
} as const;

export type Group = keyof typeof groups;

interface Meaning {
  description: string;
  example: string;
  /** In characters; left out: none. */
  limits?: { minLength: number; maxLength: number };
}

/**
 * One method of one address of the read API: its route, its check, its place in the OpenAPI document and on the reference
 * page are all made of this.
 */
export interface Operation {
  /** As generators of clients name the function: `listOrders`. */
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  /** Below /api/v1, parameters in braces: `/orders/{reference}`. */
  path: string;
  group: Group;
  summary: string;
  description?: string;
  /** Who may besides admin; left out: every token. */
  roles?: readonly Role[];
  /** What stands in the braces, in words and with an example. */
  params?: Readonly<Record<string, Meaning>>;
  /** Checks the query; left out: none is read. */
  query?: z.ZodObject;
  /** Of the query: what a viewer may not ask for. */
  personal?: readonly string[];
  /** Checks the body; left out: none is read. */
  body?: z.ZodType;
  /** It takes If-Match, the ETag of what it changes. */
  takesIfMatch?: boolean;
  answers: Readonly<Record<number, { description: string; shape: z.ZodType }>>;
  /** When else it refuses, by status; what any may be refused for is documented for all. */
  refusals?: Readonly<Record<number, string>>;
  /** What is asked of another person instead where FOUR_EYES is on; null: it is done at once. */
  asks?(asked: Asked, deps: ApiDeps): Request | null | Promise<Request | null>;
  answer(deps: ApiDeps, asked: Asked): Promise<Answer>;
}

export interface Asked<Body = unknown, Query = unknown, Param extends string = string> {
  actor: Actor;
  params: Readonly<Record<Param, string>>;
  query: Query;
  body: Body;
  /** Whether If-Match names the answer that has this body; null: the request has none. */
  matches: ((body: object) => boolean) | null;
  /** Aborts when whoever asked is gone. */
  signal: AbortSignal;
}

export interface Answer {
  /** Left out: 200. */
  status?: number;
  body: object;
}

const waiting = { description: 'With FOUR_EYES on: it waits for another person’s approval.', shape: decisionShape };

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** An operation whose `answer` is given what its schemas make of the request. */
export function operation<
  B extends z.ZodType | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  P extends string = never,
>(
  given: Omit<Operation, 'body' | 'query' | 'params' | 'answer' | 'asks'> & {
    params?: Readonly<Record<P, Meaning>>;
    query?: Q;
    body?: B;
    asks?:
      | ((asked: Asked<Parsed<B>, Parsed<Q>, P>, deps: ApiDeps) => Request | null | Promise<Request | null>)
      | undefined;
    answer(deps: ApiDeps, asked: Asked<Parsed<B>, Parsed<Q>, P>): Promise<Answer>;
  },
): Operation {
  const made = given as Operation;
  return made.asks === undefined ? made : { ...made, answers: { ...made.answers, 202: waiting } };
}
