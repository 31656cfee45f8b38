import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Actor } from '../../domain/console-roles.js';
import { type NewAction, recordAction } from '../../records/actions/record-action.js';

/** Keeps who did what, with the role that the token had. */
export async function keepAction(
  { db, log }: { db: Knex; log: Logger },
  { name, role }: Actor,
  given: Omit<NewAction, 'actor'>,
): Promise<void> {
  await recordAction(db, { ...given, actor: name, details: { role, ...given.details } });
  const { action, target, outcome } = given;
  log.info({ actor: name, action, target, outcome, ...given.details }, 'console action');
}
