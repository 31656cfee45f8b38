import { expect, test } from 'vitest';
import { together } from '../../src/records/database/statements.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

test('the server takes statements in the order in which they were begun: each sees what the one before it did', async () => {
  await database.db.transaction(async (trx) => {
    const count = () =>
      trx('watermarks')
        .where({ kind: 'together' })
        .orderBy('name')
        .pluck('name')
        .then((names) => names);
    const insert = (name: string) =>
      trx('watermarks')
        .insert({ kind: 'together', name, value: '{}' })
        .then(() => name);
    const [before, , one, , two] = await together(count(), insert('a'), count(), insert('b'), count());
    expect([before, one, two]).toEqual([[], ['a'], ['a', 'b']]);
    await trx.raw('DELETE FROM watermarks WHERE kind = ?', ['together']);
  });
});

test('the error of the first that failed is thrown, when all are answered; nothing of them is kept', async () => {
  const ended: string[] = [];
  const { db } = database;
  const saved = db.transaction(async (trx) => {
    const noted = async (name: string, sql: string): Promise<void> => {
      try {
        await trx.raw(sql);
      } finally {
        ended.push(name);
      }
    };
    await together(
      noted('first', "INSERT INTO watermarks (kind, name, value) VALUES ('together', 'c', '{}')"),
      noted('failing', 'SELECT 1 / 0'),
      noted('behind', "INSERT INTO watermarks (kind, name, value) VALUES ('together', 'd', '{}')"),
    );
  });
  await expect(saved).rejects.toThrow('division by zero');
  expect(ended).toEqual(['first', 'failing', 'behind']);
  expect(await db('watermarks').where({ kind: 'together' })).toEqual([]);
});

test('the error of what failed is thrown, also where it is named behind what it took with it', async () => {
  for (const [code, sql] of [
    ['22012', 'SELECT 1 / 0'],
    ['40001', "DO $$ BEGIN RAISE EXCEPTION USING errcode = '40001'; END $$"],
  ] as const) {
    const failed = database.db.transaction(async (trx) => {
      const first = trx.raw(sql).then(() => 'done');
      const behind = trx.raw('SELECT 1').then(() => 'done');
      await together(behind, first);
    });
    await expect(failed).rejects.toMatchObject({ code });
  }
});

test('what goes on beside one that failed is awaited: nobody works on when the error is thrown', async () => {
  const steps: string[] = [];
  const inSteps = async () => {
    for (const step of ['one', 'two', 'three']) {
      await database.db.raw('SELECT 1');
      steps.push(step);
    }
  };
  await expect(together(Promise.reject(new Error('at once')), inSteps())).rejects.toThrow('at once');
  expect(steps).toEqual(['one', 'two', 'three']);
});
