import { beforeEach, describe, expect, test } from 'vitest';
import { outsideIrregular } from '../../src/domain/breaks/disputes.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { saveFilterListing } from '../../src/records/breaks/filter-listings.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { openRecords } from '../../src/records/runs/record-places.js';
import { at, poll } from '../support/observations.js';
import { paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';
import { useCheckedShop } from './checked-shop.js';

const shop = useCheckedShop();
const { database } = shop;

describe('the filter irregular', () => {
  const { kind, entity } = outsideIrregular;
  /** Requests of one time have no order: a `second` here is ten. */
  const disputed = (id: string, second: number, received = '26.1') =>
    poll(
      'payment_intent',
      paidIntent(id, `p${id}`, { irregularStatus: 'pending_decision', totalAmountReceived: received }),
      second * 10,
    );
  const decided = (id: string, second: number) =>
    poll('payment_intent', paidIntent(id, `p${id}`, { irregularStatus: 'encashed' }), second * 10);
  const listing = async (from: number, ids: string[]) => {
    await database.db.transaction((trx) =>
      saveFilterListing(trx, 'payment_intent', 'irregular', {
        from: at(from * 10),
        to: at(from * 10 + 5),
        ids: new Set(ids),
      }),
    );
    return shop.check();
  };
  const found = async () => {
    const { items } = await listBreaks(database.db, { status: 'open', kind });
    return items.map(({ entity: about, severity }) => `${severity} ${about.kind} ${about.id}`);
  };
  const evidence = async () => (await shop.breakOf(entity.id, kind))?.evidence;

  beforeEach(async () => {
    await database.db.raw('DELETE FROM payment_intents');
    await database.db.raw("UPDATE breaks SET status = 'auto_resolved' WHERE kind = ?", [kind]);
  });

  test('misses disputes: one finding for all of them, with how many and which, until it lists what it missed', async () => {
    const ids = ['d1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7'];
    await save(
      database,
      [...ids, 'd8'].map((id) => disputed(id, 10)),
    );
    await listing(20, ['d8']);
    // Nothing has read them since the filter was: they may have been decided by then.
    expect(await found()).toEqual([]);
    await save(
      database,
      [...ids, 'd8'].map((id) => disputed(id, 40)),
    );
    await listing(30, ['d8']);
    expect(await found()).toEqual(['low payment_intent status=irregular']);
    expect(await evidence()).toMatchObject({
      exactlyPaid: { theirs: 'not listed', source: { payments: '7', examples: ids.slice(0, 5) } },
    });
    expect(await evidence()).not.toHaveProperty('amountDiffers');

    await save(
      database,
      [...ids.slice(1), 'd8'].map((id) => disputed(id, 60)),
    );
    await save(database, [decided('d1', 60)]);
    await listing(50, ['d8']);
    expect(await evidence()).toMatchObject({ exactlyPaid: { source: { payments: '6', examples: ids.slice(1, 6) } } });

    await save(
      database,
      ids.map((id) => decided(id, 70)),
    );
    await save(database, [decided('d8', 70)]);
    await listing(80, []);
    expect(await found(), 'decided is not listed').toEqual(['low payment_intent status=irregular']);
    await save(database, [disputed('d9', 90)]);
    await listing(100, ['d9']);
    expect(await found()).toEqual([]);
    expect(await shop.breaksOf(entity.id, 'auto_resolved')).toContain(kind);
  });

  test('a dispute that it does not list rests between two whole readings of it; what it lists does not', async () => {
    const open = async () => {
      const found = await openRecords(database.db, 'payment_intent');
      return found.flatMap(({ id, rests }) => (rests ? [] : [id])).sort();
    };
    await database.db('filter_listings').delete();
    await save(database, [disputed('r1', 10), disputed('r2', 10, '20')]);
    expect(await open(), 'the filter was never read').toEqual(['r1', 'r2']);
    await listing(20, ['r2']);
    expect(await open(), 'not polled since').toEqual(['r1', 'r2']);
    await save(database, [disputed('r1', 40), disputed('r2', 40, '20')]);
    expect(await open()).toEqual(['r2']);
    await listing(50, ['r2']);
    expect(await open()).toEqual(['r1', 'r2']);
    await save(database, [decided('r1', 60)]);
    expect(await open()).toEqual(['r2']);
    const pending = { ...paidIntent('r3', 'pr3', { irregularStatus: 'pending_decision' }), status: 'pending' };
    await save(database, [poll('payment_intent', pending, 600)]);
    expect(await open(), 'waits for the chain too').toEqual(['r2', 'r3']);
  });

  test('misses one that received another amount: that is no longer what the specification says', async () => {
    await save(database, [disputed('e1', 10)]);
    await save(database, [disputed('e1', 40)]);
    await listing(30, []);
    expect(await found()).toEqual(['low payment_intent status=irregular']);
    await save(database, [disputed('e2', 42, '20')]);
    await save(database, [disputed('e1', 60), disputed('e2', 60, '20')]);
    await listing(50, []);
    expect(await found()).toEqual(['medium payment_intent status=irregular']);
    expect(await evidence()).toMatchObject({ amountDiffers: { source: { payments: '1', examples: ['e2'] } } });
    await save(database, [disputed('e1', 80), disputed('e2', 80, '20')]);
    await listing(70, ['e2']);
    expect(await evidence()).not.toHaveProperty('amountDiffers');
    expect(await evidence()).toMatchObject({ exactlyPaid: { source: { payments: '1' } } });
  });

  test('read before a dispute came to differ in its amount, misses nothing', async () => {
    await save(database, [disputed('h1', 10)]);
    await save(database, [disputed('h1', 40, '30')]);
    await listing(30, []);
    expect(await found()).toEqual([]);
    await save(database, [disputed('h1', 60, '30')]);
    await listing(50, []);
    expect(await found()).toEqual(['medium payment_intent status=irregular']);
  });

  test('what a person closed stays closed for as long as the same is missed', async () => {
    await save(database, [disputed('f1', 10)]);
    await save(database, [disputed('f1', 40)]);
    await listing(30, []);
    await database.db('breaks').where({ kind, status: 'open' }).update({ status: 'written_off' });
    await save(database, [disputed('f2', 42)]);
    await save(database, [disputed('f1', 60), disputed('f2', 60)]);
    await listing(50, []);
    expect(await found()).toEqual([]);
    await save(database, [disputed('f3', 62, '20')]);
    await save(
      database,
      ['f1', 'f2'].map((id) => disputed(id, 80)),
    );
    await save(database, [disputed('f3', 80, '20')]);
    await listing(70, []);
    expect(await found()).toEqual(['medium payment_intent status=irregular']);
  });

  test('breaks of an older version, one for each payment, are over', async () => {
    const older = ['g1', 'g2'].map((id) => ({ kind, entity: { kind: 'payment_intent' as const, id }, evidence: {} }));
    await openBreaks(database.db, older);
    await save(database, [disputed('g1', 10)]);
    await save(database, [disputed('g1', 40)]);
    await listing(30, []);
    expect(await found()).toEqual(['low payment_intent status=irregular']);
    expect(await shop.breaksOf('g1', 'auto_resolved')).toEqual([kind]);
    expect(await shop.breaksOf('g2', 'auto_resolved')).toEqual([kind]);
  });
});
