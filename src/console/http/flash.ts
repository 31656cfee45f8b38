import type { Request, Response } from 'express';
import { clearCookie, readCookie, setCookie } from './cookies.js';
import { type Session, sameText } from './session.js';

const COOKIE = 'tallyhook_flash';
const SECONDS = 60;
const LONGEST = 2_000;

/** What the next page says, once. */
export interface Flash {
  tone: 'good' | 'warn' | 'bad';
  text: string;
}

export function setFlash(req: Request, res: Response, session: Session, { tone, text }: Flash): void {
  const content = Buffer.from(JSON.stringify([tone, text.slice(0, LONGEST)])).toString('base64url');
  setCookie(req, res, { name: COOKIE, value: `${content}.${session.sign('flash', content)}`, seconds: SECONDS });
}

/** Null where there is none of this session. */
export function takeFlash(req: Request, res: Response, session: Session): Flash | null {
  const [content = '', given = ''] = (readCookie(req, COOKIE) ?? '').split('.', 2);
  if (content === '') return null;
  clearCookie(req, res, COOKIE);
  if (!sameText(session.sign('flash', content), given)) return null;
  const [tone, text] = JSON.parse(Buffer.from(content, 'base64url').toString('utf8')) as [Flash['tone'], string];
  return { tone, text };
}
