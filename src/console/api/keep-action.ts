import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Actor } from '../../domain/console-roles.js';
import { type NewAction, recordAction } from '../../records/actions/record-action.js';

/** Why, in the actor's words: kept in the audit. */
export const note = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .meta({ description: 'Why; kept beside what you do.', examples: ['asked for by the shop'] });

export const optionalNote = note.nullable().default(null);

export const accepted = z
  .object({ accepted: z.literal(true), id: z.string() })
  .meta({ id: 'Accepted', description: 'Another process does it within seconds.' });

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
