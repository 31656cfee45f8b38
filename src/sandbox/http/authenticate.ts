import type { Request } from 'express';
import type { Account } from '../account.js';
import { Refusal } from '../base/refusal.js';
import type { Service } from '../service.js';

export interface Caller {
  account: Account;
  /** Calls that debit funds need a TOTP code from a dashboard session (specification 5). */
  kind: 'api_key' | 'session';
}

export type Authenticate = (request: Request) => Caller;

/** Bearer tokens of the sandbox: the merchant's key, its dashboard session, and the key of another merchant. */
export function createAuthenticate(service: Service, { own, other }: { own: Account; other: Account }): Authenticate {
  const callers = new Map<string, Caller>([
    ['sandbox-api-key', { account: own, kind: 'api_key' }],
    ['sandbox-session-token', { account: own, kind: 'session' }],
    ['sandbox-other-key', { account: other, kind: 'api_key' }],
  ]);
  return (request) => {
    const header = request.headers.authorization;
    if (header === undefined) throw unauthorized('the Authorization header is missing');
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (token === undefined) throw unauthorized('the Authorization header must be: Bearer <ACCESS_TOKEN>');
    const caller = callers.get(token);
    if (!caller || service.faults.revokeToken) throw unauthorized('the access token is not valid');
    return caller;
  };
}

const unauthorized = (message: string): Refusal => new Refusal(401, 'UNAUTHORIZED', message);

export interface V1Deps {
  service: Service;
  authenticate: Authenticate;
}
