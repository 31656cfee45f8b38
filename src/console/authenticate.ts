import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { type Actor, mayDo, type Role } from '../domain/console-roles.js';
import { Problem } from './problem.js';

/** One entry of CONSOLE_TOKENS. */
export interface ConsoleToken {
  name: string;
  role: Role;
  token: string;
}

const actors = new WeakMap<Request, Actor>();

/** Who sent the request; only behind `authenticate`. */
export function actorOf(req: Request): Actor {
  const actor = actors.get(req);
  if (!actor) throw new Error('actorOf called on a route without authentication');
  return actor;
}

/** A token as it is compared: never the token itself. */
export interface KnownToken extends Actor {
  digest: Buffer;
}

export function knownTokens(tokens: readonly ConsoleToken[]): KnownToken[] {
  return tokens.map(({ name, role, token }) => ({ name, role, digest: digestOf(token) }));
}

/** Compares with every token, in constant time. */
export function findToken(known: readonly KnownToken[], given: string): KnownToken | undefined {
  const digest = digestOf(given);
  return known.filter((entry) => timingSafeEqual(entry.digest, digest))[0];
}

/** Refuses a request without a known bearer token. */
export function authenticate(tokens: readonly ConsoleToken[]): RequestHandler {
  const known = knownTokens(tokens);
  return (req, res, next) => {
    const [scheme, given] = (req.get('authorization') ?? '').split(' ', 2);
    if (scheme?.toLowerCase() !== 'bearer' || !given) {
      res.set('WWW-Authenticate', 'Bearer');
      throw new Problem(401, 'Unauthorized', 'Send a token of CONSOLE_TOKENS as "Authorization: Bearer <token>".');
    }
    const match = findToken(known, given);
    if (!match) {
      res.set('WWW-Authenticate', 'Bearer error="invalid_token"');
      throw new Problem(401, 'Unauthorized', 'The token is not one of CONSOLE_TOKENS.');
    }
    actors.set(req, { name: match.name, role: match.role });
    next();
  };
}

/** Lets only the named roles pass; admin always may. */
export function allow(...allowed: Role[]): RequestHandler {
  return (req, _res, next) => {
    const { role, name } = actorOf(req);
    if (!mayDo({ role }, allowed)) {
      const needed = [...allowed, 'admin'].join(' or ');
      throw new Problem(403, 'Forbidden', `This needs the role ${needed}; the token "${name}" has the role ${role}.`);
    }
    next();
  };
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
