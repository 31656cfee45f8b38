import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Actor, KnownToken } from './authenticate.js';
import { clearCookie, readCookie, setCookie } from './cookies.js';

const COOKIE = 'tallyhook_session';
const SESSION_SECONDS = 12 * 3600;

/** Someone signed in at a browser. */
export interface Session {
  actor: Actor;
  /** Signs what belongs to this session alone: its forms, its messages. */
  sign(purpose: string, text: string): string;
}

/**
 * Sessions without a store: the cookie names the token's owner and when it ends, under a MAC whose key is derived from
 * that token's digest. So every console process accepts it, and a token that is removed ends its sessions.
 */
export interface Sessions {
  begin(req: Request, res: Response, token: KnownToken): void;
  /** Null where there is none, or none that holds any more. */
  find(req: Request): Session | null;
  end(req: Request, res: Response): void;
}

export function createSessions(tokens: readonly KnownToken[], now: () => Date): Sessions {
  const keyed = tokens.map((token) => ({ token, key: mac(token.digest, 'console session key') }));
  return {
    begin: (req, res, token) => {
      const key = keyed.find((entry) => entry.token === token)?.key;
      if (key === undefined) throw new Error('A session can only begin with a known token');
      const ends = Math.floor(now().getTime() / 1_000) + SESSION_SECONDS;
      const claims = [encode(token.name), String(ends), randomBytes(9).toString('base64url')].join('.');
      setCookie(req, res, { name: COOKIE, value: `${claims}.${signature(key, claims)}`, seconds: SESSION_SECONDS });
    },
    find: (req) => {
      const value = readCookie(req, COOKIE) ?? '';
      const [name = '', ends = '', nonce = '', given = ''] = value.split('.', 4);
      const entry = keyed.find(({ token }) => encode(token.name) === name);
      if (entry === undefined || !/^\d{1,12}$/.test(ends) || Number(ends) * 1_000 <= now().getTime()) return null;
      if (!sameText(signature(entry.key, [name, ends, nonce].join('.')), given)) return null;
      const { key, token } = entry;
      return {
        actor: { name: token.name, role: token.role },
        sign: (purpose, text) => mac(key, `${purpose}\n${value}\n${text}`).toString('base64url'),
      };
    },
    end: (req, res) => clearCookie(req, res, COOKIE),
  };
}

/** In constant time, whatever their lengths. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => mac(Buffer.alloc(32), text);
  return timingSafeEqual(digest(a), digest(b));
}

function signature(key: Buffer, claims: string): string {
  return mac(key, `session\n${claims}`).toString('base64url');
}

function mac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function encode(name: string): string {
  return Buffer.from(name).toString('base64url');
}
