import type { Knex } from 'knex';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { jsonbText } from '../database/database-text.js';
import { rowOf, type Trx } from '../database/statements.js';

export interface NewAction {
  /** The name of a console token, or `os:` and the user of the operating system. */
  actor: string;
  /** A verb, such as `replay`. */
  action: string;
  /** What it was done to, as `event 12`; left out: no one thing. */
  target?: string | null;
  /** Why, in the actor's words. */
  reason?: string | null | undefined;
  /** Never a secret, nor what says who a customer is. */
  details?: Readonly<Record<string, unknown>>;
  /** Where another person approved it: stands in the details. */
  approval?: Approval | undefined;
  /** `done`; `asked`: handed over, or begun, and its own records say the rest; `refused`: nothing was changed. */
  outcome: ActionView['outcome'];
}

/** The decision by which another person approved what the actor had asked for. */
export interface Approval {
  decision: string;
  approvedBy: string;
}

/** `by petra, approved by jonas in decision 7`. */
export function byWhom(actor: string, approval: Approval | undefined): string {
  return `by ${actor}${approval === undefined ? '' : `, approved by ${approval.approvedBy} in decision ${approval.decision}`}`;
}

/** Of one actor and action within a minute. */
const OWN_ROWS = 5;

/**
 * Keeps who did what, and why. Give it the transaction of the effect, so that neither is there without the other. What was done or asked for
 * always has a row of its own. What was refused has one with its texts cut, but of one action within a minute no more than five:
 * the others are counted, and whoever may do nothing can fill nothing with it.
 */
export async function recordAction(db: Knex, given: NewAction): Promise<void> {
  if (given.outcome !== 'refused') return insertAction(db, given);
  const about = { actor: given.actor, action: given.action };
  await db.transaction(async (trx) => {
    await recordRefusals(trx, about);
    const { folded } = await rowOf<{ folded: string }>(trx)`
      INSERT INTO repeated_refusals (actor, action, since) VALUES (${about.actor}, ${about.action}, now())
      ON CONFLICT (actor, action) DO UPDATE SET folded = repeated_refusals.folded + 1 RETURNING folded`;
    if (Number(folded) < OWN_ROWS) await insertAction(trx, shortened(given));
  });
}

/** One row for all that were counted, where their minute is over. */
export async function logRepeatedRefusals(db: Knex): Promise<void> {
  await db.transaction((trx) => recordRefusals(trx, {}));
}

async function recordRefusals(trx: Trx, about: { actor?: string; action?: string }): Promise<void> {
  const over: { actor: string; action: string; since: Date; folded: string }[] = await trx('repeated_refusals')
    .where(about)
    .whereRaw(`since < now() - interval '1 minute'`)
    .delete(['actor', 'action', 'since', 'folded']);
  for (const { actor, action, since, folded } of over) {
    const more = Number(folded) + 1 - OWN_ROWS;
    if (more <= 0) continue;
    const message = `Refused again within a minute of ${since.toISOString()}, so many times: ${more}.`;
    await insertAction(trx, {
      actor,
      action,
      details: { folded: more, since: since.toISOString(), told: message },
      outcome: 'refused',
    });
  }
}

const LONGEST_TARGET = 200;
const LONGEST_REASON = 500;
const LONGEST_DETAILS = 2_000;

function shortened(given: NewAction): NewAction {
  const { target, reason, details = {} } = given;
  const message = typeof details['told'] === 'string' ? { told: details['told'].slice(0, LONGEST_REASON) } : {};
  const isLong = JSON.stringify(details).length > LONGEST_DETAILS;
  return {
    ...given,
    target: target?.slice(0, LONGEST_TARGET) ?? null,
    reason: reason?.slice(0, LONGEST_REASON) ?? null,
    details: isLong ? { ...message, isCut: true } : details,
  };
}

async function insertAction(db: Knex, given: NewAction): Promise<void> {
  const { actor, action, target = null, reason = null, details = {}, approval = {}, outcome } = given;
  await db('actions').insert({
    actor,
    action,
    target,
    reason,
    details: jsonbText({ ...details, ...approval }),
    outcome,
  });
}
