import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Knex } from 'knex';
import type { Actor } from '../../domain/console-roles.js';
import { endSession, isEnded, type SessionKey } from '../../records/actions/list-actions.js';
import type { KnownToken } from '../authenticate.js';
import { clearCookie, isHttps, readCookie, setCookie } from './cookies.js';

const COOKIE = 'tallyhook_session';
/** Under this name browsers take no cookie that another host, or plain http, would plant. */
const cookieOf = (req: Request): string => (isHttps(req) ? `__Host-${COOKIE}` : COOKIE);

const SESSION_SECONDS = 12 * 3600;

/** Someone signed in at a browser. */
export interface Session {
  actor: Actor;
  /** Signs what belongs to this session alone: its forms, its messages. */
  sign(purpose: string, text: string): string;
}

export type Sessions = ReturnType<typeof createSessions>;

/** For so long a session that was not ended counts as such without asking again. */
const ASK_AGAIN_MS = 1_000;
const MOST_KNOWN = 1_000;

/**
 * The cookie names the token's owner and when it ends, under a MAC whose key is derived from that token's digest. So every
 * console process accepts it, and a token that is removed ends its sessions. Kept are those alone that were ended before.
 */
export function createSessions(tokens: readonly KnownToken[], { db, now }: { db: Knex; now: () => Date }) {
  const keyed = tokens.map((token) => ({ token, key: mac(token.digest, 'console session key') }));
  const askedAt = new Map<string, number>();
  const claimed = (req: Request): (Session & { key: SessionKey }) | null => {
    const value = readCookie(req, cookieOf(req)) ?? '';
    const [name = '', ends = '', nonce = '', given = ''] = value.split('.', 4);
    const entry = keyed.find(({ token }) => encode(token.name) === name);
    if (entry === undefined || !/^\d{1,12}$/.test(ends) || Number(ends) * 1_000 <= now().getTime()) return null;
    const claims = [name, ends, nonce].join('.');
    if (!sameText(signature(entry.key, claims), given)) return null;
    const { key, token } = entry;
    const digest = (text: string) => mac(key, text).toString('base64url');
    return {
      actor: { name: token.name, role: token.role },
      sign: (purpose, text) => digest(`${purpose}\n${value}\n${text}`),
      key: { owner: digest('owner'), session: digest(`ended\n${claims}`), until: new Date(Number(ends) * 1_000) },
    };
  };
  return {
    begin: (req: Request, res: Response, token: KnownToken): void => {
      const key = keyed.find((entry) => entry.token === token)?.key;
      if (key === undefined) throw new Error('A session can only begin with a known token');
      const ends = Math.floor(now().getTime() / 1_000) + SESSION_SECONDS;
      const claims = [encode(token.name), String(ends), randomBytes(9).toString('base64url')].join('.');
      setCookie(req, res, {
        name: cookieOf(req),
        value: `${claims}.${signature(key, claims)}`,
        seconds: SESSION_SECONDS,
      });
    },
    /** As its cookie has it, also where it was ended. */
    claimed,
    /** Null where there is none, or none that holds any more. */
    find: async (req: Request): Promise<Session | null> => {
      const session = claimed(req);
      if (session === null) return null;
      const { key } = session;
      if (performance.now() - (askedAt.get(key.session) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS) return session;
      const began = performance.now();
      if (await isEnded(db, key)) return null;
      if (askedAt.size >= MOST_KNOWN) askedAt.clear();
      askedAt.set(key.session, began);
      return session;
    },
    /** Takes the cookie away from the browser. */
    forget: (req: Request, res: Response): void => clearCookie(req, res, cookieOf(req)),
    /** Whoever has a copy of the cookie is signed out as well, everywhere within a second. */
    end: async (req: Request): Promise<void> => {
      const session = claimed(req);
      if (session === null) return;
      await endSession(db, session.key);
      askedAt.clear();
    },
  };
}

/** In constant time, whatever their lengths. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => mac(Buffer.alloc(32), text);
  return timingSafeEqual(digest(a), digest(b));
}

const signature = (key: Buffer, claims: string): string => mac(key, `session\n${claims}`).toString('base64url');

const mac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const encode = (name: string): string => Buffer.from(name).toString('base64url');
