import type { Knex } from 'knex';

/** Keeps who did what, and why. */
export async function keepAction(
  db: Knex,
  kept: {
    actor: string;
    action: string;
    target: string | null;
    reason: string | null;
    details: Record<string, unknown>;
    outcome: 'done' | 'asked' | 'refused';
  },
): Promise<void> {
  await db('actions').insert({ ...kept, details: JSON.stringify(kept.details) });
}
