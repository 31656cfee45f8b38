import type { Knex } from 'knex';
import type { z } from 'zod';
import type { Actor, Role } from '../domain/console-roles.js';
import type { PageDeps } from './page-deps.js';
import type { Field, Section } from './view/sections.js';

/**
 * Something a person can do: always a POST form with a token of the session, kept in the `actions` table with its actor
 * and reason, and answered by a redirect to the page it came from.
 */
export interface Action {
  /** As express reads it, below the page it belongs to: `/events/:id/replay`. */
  path: string;
  /** As the audit calls it. */
  name: string;
  /** Who may besides admin. */
  roles: readonly Role[];
  /** On the button: a verb and what it is done to. */
  label: string;
  /** What will happen, in a sentence or two. */
  explain: string;
  /** Left out: it needs one. */
  needsReason?: false;
  /** Colours the confirming button. */
  tone?: 'bad';
  /** What the person fills in besides the reason. */
  fields?: readonly Field[];
  /** Reads the form's fields, all strings; what it refuses is answered with 400. Left out: no field counts. */
  input?: z.ZodType<Record<string, unknown>>;
  /** Shown with a confirming button before anything is done. */
  preview?(deps: PageDeps, request: ActionRequest): Promise<Section[]>;
  /** In a transaction, in which the audit is kept too: what it throws leaves nothing behind. */
  run?(deps: ActionDeps, request: ActionRequest): Promise<ActionResult>;
  /** Instead of `run`: has transactions of its own, and keeps the audit in them. */
  runAlone?(deps: PageDeps, request: ActionRequest): Promise<ActionResult>;
}

type ActionDeps = Omit<PageDeps, 'db'> & { db: Knex.Transaction };

export interface ActionRequest {
  actor: Actor;
  params: Readonly<Record<string, string>>;
  /** What `input` made of the form. */
  input: Readonly<Record<string, unknown>>;
  /** Empty where the action needs none and none was given. */
  reason: string;
}

export interface ActionResult {
  /** `asked`: another process does it. `refused`: nothing was changed. */
  outcome: 'done' | 'asked' | 'refused';
  /** Shown on the next page, in a sentence. */
  message: string;
  /** What it was done to, as `event 12`. */
  target?: string;
  /** Kept in the audit beside it. */
  details?: Record<string, unknown>;
  /** Where to go on; left out: back to the page of the form. */
  to?: string;
  /** What was called keeps the audit itself, in this transaction. */
  recorded?: true;
  /** What is asked of another process, once all the rest is committed. */
  afterwards?: (deps: Pick<PageDeps, 'db'>) => Promise<void>;
}
