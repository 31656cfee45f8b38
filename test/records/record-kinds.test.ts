import { describe, expect, it } from 'vitest';
import { resources } from '../../src/console/api/resources.js';
import type { JsonObject } from '../../src/domain/json.js';
import { type RecordKind, recordKinds, recordRules } from '../../src/domain/records.js';
import { changesOf } from '../../src/records/changes.js';
import { getRecord, listRecords } from '../../src/records/rows.js';
import { useDatabase } from '../support/database.js';
import { absence, delivered, mention, poll, report } from '../support/observations.js';
import { save } from '../support/saved.js';

const database = useDatabase();

const breaks = (kind: RecordKind, id: string) =>
  database.db('breaks').where({ entity_kind: kind, entity_id: id }).orderBy('id').select('kind', 'status', 'severity');

describe.each(recordKinds)('a record of the kind %s', (kind) => {
  const { main, columns } = recordRules[kind];
  const [state = null] = main.ranks.keys();
  const fields: JsonObject = {
    id: `${kind}-1`,
    ...Object.fromEntries(
      columns.map(({ field, type }) => [field, { text: 'x', amount: '1.50', time: '2026-02-28T22:00:00.5Z' }[type]]),
    ),
    ...(state === null ? {} : { [main.field]: state }),
  };

  it('is saved, verified, listed by its columns and shown by the read API', async () => {
    await save(database, [poll(kind, fields, 0)]);
    const view = await getRecord(database.db, kind, `${kind}-1`);
    const [amount] = columns.filter(({ type }) => type === 'amount');
    expect(view).toMatchObject({ id: `${kind}-1`, verified: true, ...(amount ? { [amount.field]: '1.5' } : {}) });
    for (const { field, type } of columns) {
      if (type !== 'text') continue;
      const given = fields[field] as string;
      expect((await listRecords(database.db, kind, { filters: { [field]: given } })).items, field).toHaveLength(1);
      expect((await listRecords(database.db, kind, { filters: { [field]: 'other' } })).items, field).toEqual([]);
    }
    const resource = resources.find(({ path }) => path === kind.replaceAll('_', '-').concat('s'));
    expect((await resource?.list(database.db, { filters: {} }))?.items).toMatchObject([view as object]);
    expect(await resource?.get?.(database.db, `${kind}-1`)).toMatchObject(view as object);
  });

  it('is merged like any other: unchanged by the same reading, changed by another, asked for by an event', async () => {
    expect(await save(database, [poll(kind, fields, 10, 'run-2')])).toMatchObject({ changed: 0 });
    expect(await save(database, [poll(kind, { ...fields, note: 'new' }, 20)])).toMatchObject({ changed: 1 });
    expect((await changesOf(database.db, { kind, id: `${kind}-1` })).map(({ field }) => field)).toEqual(['*', 'note']);
    await save(database, [report(kind, `${kind}-1`, { id: `${kind}-1`, note: 'newest' }, 30)]);
    expect(await getRecord(database.db, kind, `${kind}-1`)).toMatchObject({ note: 'new', verified: true });
    expect(await database.db('reading_marks').where({ kind, id: `${kind}-1` })).toHaveLength(1);
  });
});

describe('what has vanished from the service', () => {
  const vanish = async (kind: RecordKind, id: string, fields: JsonObject = {}) => {
    await save(database, [poll(kind, { id, ...fields }, 0)]);
    await save(database, [absence(kind, id, 10)]);
    return (await breaks(kind, id)).map((found) => found.kind);
  };

  it('is a critical break where money stands behind it', async () => {
    const missing = ['record_not_at_service'];
    for (const kind of ['payment_intent', 'payin', 'invoice', 'payout', 'transaction'] as const) {
      expect(await vanish(kind, 'gone'), kind).toEqual(missing);
    }
    expect(await vanish('account', 'gone', { status: 'active' })).toEqual(missing);
    expect(await vanish('account', 'unknown')).toEqual(missing);
  });

  it('is nothing where that is how things end', async () => {
    for (const kind of ['balance', 'endpoint', 'settlement_account', 'product', 'asset'] as const) {
      expect(await vanish(kind, 'gone'), kind).toEqual([]);
    }
    expect(await vanish('account', 'archived', { status: 'closed' })).toEqual([]);
    expect(await getRecord(database.db, 'account', 'archived')).toMatchObject({
      status: 'closed',
      absentSince: expect.any(String) as string,
    });
  });

  it('no longer is a break once it is known to have ended so', async () => {
    await vanish('account', 'late', { status: 'active' });
    await save(database, [report('account', 'late', { id: 'late', status: 'closed' }, 20)]);
    await save(database, [absence('account', 'late', 30)]);
    expect(await getRecord(database.db, 'account', 'late')).toMatchObject({
      absentSince: expect.any(String) as string,
    });
  });

  it('was never a break where an event only named it', async () => {
    await save(database, [mention('account', 'named', 0)]);
    await save(database, [absence('account', 'named', 10)]);
    expect(await breaks('account', 'named')).toEqual([]);
  });
});

describe('amounts', () => {
  it('of a transaction and a balance may be negative, of anything else not', async () => {
    await save(database, [
      poll('transaction', { id: 'minus', amount: '-1.50', feeAmount: '-0', accountId: 'a' }, 0),
      poll('balance', { id: 'BTC', balance: '-3', frozen: '0', available: '-3' }, 0),
      poll('payout', { id: 'minus', amount: '-1' }, 0),
    ]);
    expect(await getRecord(database.db, 'transaction', 'minus')).toMatchObject({ amount: '-1.5', feeAmount: '0' });
    expect(await database.db('transactions').where({ id: 'minus' }).first('amount')).toMatchObject({
      amount: '-1.500000000000000000',
    });
    expect(await database.db('balances').where({ id: 'BTC' }).first('balance')).toEqual({ balance: '-3' });
    expect(await breaks('transaction', 'minus')).toEqual([]);
    expect(await breaks('payout', 'minus')).toMatchObject([{ kind: 'contract_violation' }]);
    expect(await database.db('payouts').where({ id: 'minus' }).first('amount')).toEqual({ amount: null });
  });
});

describe('states', () => {
  it('of a kind that has none are kept, and are no violation', async () => {
    await save(database, [poll('transaction', { id: 'stated', status: 'booked' }, 0)]);
    expect(await getRecord(database.db, 'transaction', 'stated')).toMatchObject({ status: 'booked' });
    expect(await database.db('breaks').where({ entity_id: 'status=booked' })).toEqual([]);
  });

  it('of a sub-wallet may go back: an event only asks for a reading', async () => {
    await save(database, [poll('account', { id: 'thaws', status: 'frozen' }, 0)]);
    await save(database, [report('account', 'thaws', { id: 'thaws', status: 'closed' }, 10)]);
    expect(await getRecord(database.db, 'account', 'thaws')).toMatchObject({ status: 'frozen' });
    expect(await database.db('reading_marks').where({ kind: 'account', id: 'thaws' })).toHaveLength(1);
    await save(database, [poll('account', { id: 'thaws', status: 'active' }, 20)]);
    expect(await getRecord(database.db, 'account', 'thaws')).toMatchObject({ status: 'active', verified: true });
  });

  it('of a payout that are not listed stand between approved and the end', async () => {
    const payout = async (status: string, second: number, type: 'read' | 'delivered') => {
      const fields = { id: 'steps', status };
      await save(database, [
        type === 'read' ? poll('payout', fields, second) : delivered('payout', 'steps', fields, second),
      ]);
      return (await getRecord(database.db, 'payout', 'steps'))?.['status'];
    };
    expect(await payout('approved', 0, 'read')).toBe('approved');
    expect(await payout('broadcast', 10, 'delivered')).toBe('broadcast');
    expect(await payout('pending', 20, 'delivered')).toBe('broadcast');
    expect(await payout('confirmed', 30, 'delivered')).toBe('confirmed');
    // Of what history says twice otherwise, what gives back more counts; a reading decides.
    expect(await payout('failed', 40, 'delivered')).toBe('confirmed');
    expect(await payout('failed', 50, 'read')).toBe('failed');
  });

  it('of a payout that events alone report stand beside what was read, the furthest of them', async () => {
    const said = async (status: string, second: number) => {
      await save(database, [report('payout', 'beside', { id: 'beside', status }, second)]);
      return getRecord(database.db, 'payout', 'beside');
    };
    await save(database, [poll('payout', { id: 'beside', status: 'approved' }, 0)]);
    const read = { status: 'approved', verified: true };
    expect(await said('broadcast', 10)).toMatchObject({ ...read, reported: { status: 'broadcast' } });
    expect(await said('pending', 20)).toMatchObject({ ...read, reported: { status: 'broadcast' } });
    expect(await said('confirmed', 30)).toMatchObject({ ...read, reported: { status: 'confirmed' } });
    expect(await said('failed', 40)).toMatchObject({ ...read, reported: { status: 'confirmed' } });
    await save(database, [poll('payout', { id: 'beside', status: 'confirmed' }, 50)]);
    const now = await getRecord(database.db, 'payout', 'beside');
    expect(now).toMatchObject({ status: 'confirmed', verified: true, reported: null });
  });
});
