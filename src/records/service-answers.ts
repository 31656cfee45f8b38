import type { Knex } from 'knex';
import { firstOf, run } from './database/statements.js';

const NOTE = { kind: 'service', name: 'failing' };

/** How attempts of calls ended; times are ms since the epoch. */
export interface Answers {
  /** When the last was answered. */
  answeredAt: number | null;
  /** Those that failed after it, because the service is away. */
  failed: readonly { at: number; operation: string; error: string }[];
}

/** What is known of both, in whichever order they came. */
export function mergeAnswers(a: Answers, b: Answers): Answers {
  const answeredAt = Math.max(a.answeredAt ?? 0, b.answeredAt ?? 0);
  const failed = [...a.failed, ...b.failed].filter(({ at }) => at > answeredAt).sort((one, other) => one.at - other.at);
  return { answeredAt: answeredAt === 0 ? null : answeredAt, failed };
}

/** Notes for all processes since when no call was answered. An answer ends what failed before it, whoever asked. */
export async function noteAnswers(db: Knex, { answeredAt, failed }: Answers): Promise<void> {
  if (answeredAt !== null)
    await run(db)`
      DELETE FROM watermarks WHERE kind = ${NOTE.kind} AND name = ${NOTE.name} AND (value ->> 'last')::numeric <= ${answeredAt}`;
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined) return;
  const operations = Object.fromEntries(failed.map(({ operation }) => [operation, true]));
  const value = JSON.stringify({
    since: first.at,
    last: last.at,
    attempts: failed.length,
    error: last.error,
    operations,
  });
  await run(db)`
    INSERT INTO watermarks (kind, name, value) VALUES (${NOTE.kind}, ${NOTE.name}, ${value}::jsonb)
    ON CONFLICT (kind, name) DO UPDATE SET updated_at = now(), value = excluded.value || jsonb_build_object(
      'since', least((watermarks.value ->> 'since')::numeric, (excluded.value ->> 'since')::numeric),
      'attempts', (watermarks.value ->> 'attempts')::numeric + (excluded.value ->> 'attempts')::numeric,
      'operations', (watermarks.value -> 'operations') || (excluded.value -> 'operations'))`;
}

export interface FailingCalls {
  /** When the first of them failed, ISO 8601. */
  since: string;
  attempts: number;
  /** In the order of the alphabet. */
  operations: string[];
  /** Of the newest, as runs keep it. */
  error: string;
}

/** Attempts since the last that was answered; null: that was the newest, or none was made. */
export async function failingCalls(db: Knex): Promise<FailingCalls | null> {
  const row = await firstOf<{ value: { since: number; attempts: number; error: string; operations: object } }>(db)`
    SELECT value FROM watermarks WHERE kind = ${NOTE.kind} AND name = ${NOTE.name}`;
  if (row === undefined) return null;
  const { since, attempts, error, operations } = row.value;
  return { since: new Date(since).toISOString(), attempts, error, operations: Object.keys(operations).sort() };
}
