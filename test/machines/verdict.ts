import type { Knex } from 'knex';
import { expect } from 'vitest';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import type { Load } from '../support/load.js';
import { reckon, settle } from '../support/reckoning.js';
import { askConsole, type Fleet } from './fleet.js';

/** That nothing is lost or done twice, that one scheduler led at a time, and that all end well; how often each answer was given. */
export async function endWell(
  all: Fleet,
  { db, load }: { db: Knex; load: Load },
): Promise<{ answers: Record<string, number>; processes: number }> {
  const everything = { db, sandbox: all.sandbox, load };
  await settle(everything);
  expect(await reckon(everything)).toEqual({ lost: [], unapplied: [], repeated: [], differing: [] });
  expect(await overlappingRuns(db)).toEqual([]);
  for (const console of all.members('console')) {
    expect(await askConsole(console, 'events?take=1')).toMatchObject({ items: [{ status: 'applied' }] });
  }
  const codes = await all.stop();
  expect(codes).toEqual(Object.fromEntries(Object.keys(codes).map((name) => [name, 0])));
  const answers = countAnswers(await loggedDeliveries(all.sandbox));
  expect(answers['200']).toBe(load.events());
  return { answers, processes: Object.keys(codes).length };
}

/** Two leaders at once would read the same kind at the same time. */
async function overlappingRuns(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { kind: string }[] }>(
    `SELECT a.kind FROM runs a JOIN runs b ON b.kind = a.kind AND b.id <> a.id
     WHERE a.started_at < b.started_at AND a.finished_at > b.started_at AND a.status <> 'aborted'`,
  );
  return rows.map(({ kind }) => kind);
}
