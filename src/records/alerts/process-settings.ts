import type { Knex } from 'knex';
import { grouped } from '../../domain/grouped.js';
import { raw, rowsOf, run, valueOf } from '../database/statements.js';

/** Settings that every role must have alike, as a process was started with. */
export type SharedSettings = Readonly<Record<string, string>>;

/** The roles at work that have each value of a setting; several values, else it is not named. */
export interface DifferingSetting {
  setting: string;
  values: { value: string; parts: string[] }[];
}

/** Heartbeats come every quarter of a minute. */
const FRESH = "interval '1 minute'";

export async function recordSettings(db: Knex, parts: readonly string[], settings: SharedSettings): Promise<void> {
  await run(db)`
    INSERT INTO setting_signs (setting, value, part, seen_at)
    SELECT setting, value, part, now() FROM unnest(${Object.keys(settings)}::text[], ${Object.values(settings)}::text[])
      AS given (setting, value), unnest(${parts}::text[]) AS part
    ORDER BY setting, value, part
    ON CONFLICT (setting, value, part) DO UPDATE SET seen_at = excluded.seen_at`;
}

/** `here`: what another process works with, such as a command; it counts as one more. */
export async function differingSettings(db: Knex, here: SharedSettings = {}): Promise<DifferingSetting[]> {
  const rows = await rowsOf<{ setting: string; value: string; part: string }>(db)`
    SELECT setting, value, part FROM setting_signs WHERE seen_at > now() - ${raw(FRESH)} ORDER BY setting, value, part`;
  const given = Object.entries(here).map(([setting, value]) => ({ setting, value, part: 'this command' }));
  const bySetting = grouped([...rows, ...given], ({ setting }) => setting);
  return [...bySetting].flatMap(([setting, heartbeats]) => {
    const byValue = grouped(heartbeats, ({ value }) => value);
    const values = [...byValue].map(([value, of]) => ({ value, parts: of.map(({ part }) => part) }));
    return values.length > 1 ? [{ setting, values }] : [];
  });
}

/** Whether a process at work was started with this value. */
export async function isAtWork(db: Knex, setting: string, value: string): Promise<boolean> {
  return valueOf<boolean>(db)`
    SELECT EXISTS (SELECT FROM setting_signs
      WHERE setting = ${setting} AND value = ${value} AND seen_at > now() - ${raw(FRESH)}) AS known`;
}

/** Such as "on at worker; off at console, scheduler". */
export function valuesText({ values }: Pick<DifferingSetting, 'values'>): string {
  return values.map(({ value, parts }) => `${value} at ${parts.join(', ')}`).join('; ');
}
