import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toRecover } from '../../src/domain/alerts/facts.js';
import { countAwaited, countSwallowed, recoverableIds } from '../../src/records/deliveries/list-deliveries.js';
import { resettableDatabase } from '../support/resettable-database.js';

const database = resettableDatabase();
const NOW = new Date('2026-11-04T12:00:00Z');

/** What became of one delivery after the other, a minute apart; `recovered`: noted as taken, and here out of the history. */
const fates = ['received', 'phantom', 'recovered', 'never_reached', 'pending_retry', 'other_endpoint'] as const;
const told = fc.array(fc.constantFrom(...fates, 'phantom' as const), { maxLength: 9 });

async function keep(given: readonly (typeof fates)[number][]): Promise<void> {
  const rows = given.map((fate, n) => ({
    id: `wd_${n}`,
    class: fate === 'recovered' ? 'phantom' : fate,
    ours: fate !== 'other_endpoint',
    missed: false,
    open: fate !== 'received' && fate !== 'other_endpoint',
    inbox_id: fate === 'recovered' || fate === 'received' ? n + 1 : null,
    created_at: new Date(NOW.getTime() - (given.length - n) * 60_000),
    poll_from: 1,
    poll_ref: 'run',
  }));
  if (rows.length > 0) await database.db('deliveries').insert(rows);
}

test('what is swallowed is what is noted as taken and not here, of all since the newest that came', async () => {
  await fc.assert(
    fc.asyncProperty(told, async (given) => {
      await database.reset();
      await keep(given);
      const since = given.slice(given.lastIndexOf('received') + 1);
      const lost = since.filter((fate) => fate === 'phantom').length;
      const first = since.indexOf('phantom');
      const seconds = first < 0 ? 0 : (since.length - first) * 60;
      const at = (n: number) => (n < 0 ? null : new Date(NOW.getTime() - (since.length - n) * 60_000).toISOString());
      const sent = { from: at(first), to: at(since.lastIndexOf('phantom')) };
      expect(await countSwallowed(database.db, NOW)).toEqual({ count: lost, seconds, ...sent });
    }),
    { numRuns: 60 },
  );
});

const some = fc.array(fc.nat(8), { maxLength: 3 });

test('what is counted to be recovered, since the first of it, is what recovering from then on recovers', async () => {
  await fc.assert(
    fc.asyncProperty(told, some, some, async (given, withoutPayload, withoutTime) => {
      await database.reset();
      await keep(given);
      const shown = given.map((_, n) => `wd_${n}`).filter((_, n) => !withoutPayload.includes(n));
      await database.db('deliveries').whereIn('id', shown).update({ payload: '{}' });
      await database.db('deliveries').whereNotIn('id', shown).where('open', true).update({ missed: true });
      await database
        .db('deliveries')
        .whereIn(
          'id',
          withoutTime.map((n) => `wd_${n}`),
        )
        .update({ created_at: null });
      const { count, from } = toRecover({ awaited: await countAwaited(database.db, new Date()) });
      const range = { from: from === null ? NOW.getTime() : Date.parse(from), to: NOW.getTime() };
      expect(await recoverableIds(database.db, { ids: [], range })).toHaveLength(count);
      expect(from === null).toBe(count === 0);
    }),
    { numRuns: 60 },
  );
});

test('a delivery on its way whose event was recovered is not waited for', async () => {
  await keep(['pending_retry', 'pending_retry']);
  await database.db('deliveries').where({ id: 'wd_1' }).update({ inbox_id: 7 });
  expect(await countAwaited(database.db, new Date())).toMatchObject([{ class: 'pending_retry', awaited: 1 }]);
});
