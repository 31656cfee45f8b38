import type { Knex } from 'knex';
import { toDatabaseText, toNullableText } from '../database/database-text.js';

/** `done`; `asked`: handed over, or begun, and its own records tell the rest; `refused`: nothing was changed. */
export type ActionOutcome = 'done' | 'asked' | 'refused';

export interface NewAction {
  /** The name of a console token, or `cli:` and the user of the operating system. */
  actor: string;
  /** A verb, such as `replay`. */
  action: string;
  /** What it was done to, as `event 12`; left out: no one thing. */
  target?: string | null;
  /** Why, in the actor's words. */
  reason?: string | null;
  /** Never a secret, nor what says who a customer is. */
  details?: Readonly<Record<string, unknown>>;
  outcome: ActionOutcome;
}

/** Keeps who did what, and why. Give it the transaction of the effect, so that neither is there without the other. */
export async function recordAction(db: Knex, given: NewAction): Promise<void> {
  const { actor, action, target = null, reason = null, details = {}, outcome } = given;
  await db('actions').insert({
    actor: toDatabaseText(actor),
    action,
    target: toNullableText(target),
    reason: toNullableText(reason),
    details: JSON.stringify(details, (_, value: unknown) =>
      typeof value === 'string' ? toDatabaseText(value) : value,
    ),
    outcome,
  });
}
