import * as fc from 'fast-check';
import { pino } from 'pino';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { recordRules } from '../../src/domain/records.js';
import { createMetrics } from '../../src/metrics.js';
import { MAX_ATTEMPTS, takeWaiting } from '../../src/records/inbox/inbox-work.js';
import { type ApplyDeps, applyEvents } from '../../src/webhook/apply-events.js';
import { replayEvents } from '../../src/webhook/queue.js';
import { applyOrphaned } from '../../src/webhook/worker.js';
import { useFreshDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';
import { sized } from '../support/sizes.js';

const database = useFreshDatabase();
let deps: ApplyDeps;
let metrics: ReturnType<typeof createMetrics>;
const going = new AbortController().signal;

beforeEach(async () => {
  const { db } = database;
  metrics = createMetrics();
  deps = { db, log: pino({ level: 'silent' }), now: () => new Date(), metrics, adoptedAt: new Date(0) };
});

interface InboxRow {
  id: string;
  status: string;
  attempts: number;
  error: string | null;
  applied_at: Date | null;
}

const inbox = () => database.db<InboxRow>('inbox').select('*').orderBy('id');
const statuses = async () => (await inbox()).map((row) => row.status);
const intents = () => database.db('payment_intents').select('id', 'status', 'verified').orderBy('id');
const changesOf = (id: string) => database.db('changes').where({ entity_kind: 'payment_intent', entity_id: id });
const names = (count: number) => Array.from({ length: count }, (_, i) => `${i}`.padStart(3, '0'));

/** A record that the database refuses whatever is tried, as a stand-in for an error of our own. */
async function refuse(id: string): Promise<void> {
  await database.db.raw(`ALTER TABLE payment_intents ADD CONSTRAINT poison CHECK (id <> '${id}')`);
}
const cure = () => database.db.raw('ALTER TABLE payment_intents DROP CONSTRAINT poison');

describe('applying events', () => {
  it('reads no more bodies at once than half a megabyte, or one, however many ids it is given', async () => {
    const large = (name: string) => completed(name, { metadata: { text: 'x'.repeat(900_000) } });
    const ids = await storeEvents(database.db, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(large));
    const read: number[] = [];
    database.db.on('query-response', (rows: { rows?: { body?: string }[] }) => {
      const bytes = (rows.rows ?? []).reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
      if (bytes > 0) read.push(bytes);
    });
    expect(await applyEvents(deps, ids)).toEqual({ applied: 10, unhandled: 0, failed: 0 });
    expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(9_000_000);
    expect(Math.max(...read)).toBeLessThan(1_000_000);
  });

  it('takes a body as text, not as twice as many digits', async () => {
    const ids = await storeEvents(database.db, [completed('a', { metadata: { text: 'x'.repeat(900_000) } })]);
    await database.db.transaction(async (trx) => {
      const { stream } = (await trx.client.acquireConnection()).connection;
      const before = stream.bytesRead;
      const [event] = await takeWaiting(trx, ids);
      expect(event?.body.length).toBeGreaterThan(900_000);
      expect(stream.bytesRead - before).toBeLessThan(1_000_000);
    });
  });

  it('brings the record and its order up to date, unverified, and marks the event', async () => {
    const ids = await storeEvents(database.db, [completed('a')]);
    expect(await applyEvents(deps, ids)).toEqual({ applied: 1, unhandled: 0, failed: 0 });
    expect(await intents()).toEqual([{ id: 'pi_a', status: null, verified: false }]);
    const saidOf = database.db('payment_intents').first('known', 'reported', 'reported_reference', 'reported_paid');
    const { reported, ...said } = await saidOf;
    expect(said).toEqual({ known: false, reported_reference: 'order-a', reported_paid: true });
    expect(JSON.parse(reported)).toMatchObject({ status: 'completed', merchantReference: 'order-a' });
    expect(await database.db('orders').select('reference', 'status', 'release_safe')).toEqual([
      { reference: 'order-a', status: 'paid_unverified', release_safe: false },
    ]);
    expect(await inbox()).toMatchObject([{ status: 'applied', error: null, applied_at: expect.any(Date) }]);
    expect(await metrics.registry.getSingleMetricAsString('tallyhook_events_applied_total')).toContain(
      'event="payment_intent.completed"} 1',
    );
  });

  it('once: the same ids again, and the same content under another row, change nothing', async () => {
    const twice = [completed('a'), { ...completed('a'), timestamp: 1_700_000_100 }];
    const ids = await storeEvents(database.db, twice);
    await applyEvents(deps, ids);
    const before = await changesOf('pi_a').count();
    expect(await applyEvents(deps, ids)).toEqual({ applied: 0, unhandled: 0, failed: 0 });
    await replayEvents({ db: database.db, queue: { replay() {} } }, ids);
    expect(await applyEvents(deps, ids)).toMatchObject({ applied: 2 });
    expect(await changesOf('pi_a').count()).toEqual(before);
  });

  it('by several workers at once, on the same ids: each event by one of them', async () => {
    const ids = await storeEvents(
      database.db,
      names(60).map((name) => completed(name)),
    );
    const all = await Promise.all([ids, ids.toReversed(), ids, ids.slice(20)].map((some) => applyEvents(deps, some)));
    expect(all.reduce((sum, one) => sum + one.applied, 0)).toBe(60);
    expect(new Set(await statuses())).toEqual(new Set(['applied']));
    expect(await intents()).toHaveLength(60);
  });

  it('of a type that is not kept: unhandled, never failed', async () => {
    const ids = await storeEvents(database.db, [
      { event: 'account.closed', data: { id: 'po_1' } },
      { event: 'made.up\u0000\ud800', data: {} },
    ]);
    expect(await applyEvents(deps, ids)).toEqual({ applied: 0, unhandled: 2, failed: 0 });
    expect(await inbox()).toMatchObject([
      { status: 'unhandled', error: null },
      { status: 'unhandled', error: null },
    ]);
  });

  it('with an amount as a JSON number: kept, not applied, a critical break, and the record is asked for', async () => {
    const ids = await storeEvents(database.db, [completed('a', { amountRequested: 10.5 })]);
    await applyEvents(deps, ids);
    expect(await inbox()).toMatchObject([{ status: 'unhandled', error: expect.stringContaining('amountRequested') }]);
    expect(await database.db('breaks').select('kind', 'severity', 'entity_id')).toEqual([
      { kind: 'contract_violation', severity: 'critical', entity_id: 'pi_a' },
    ]);
    expect(await database.db('reading_marks').pluck('id')).toEqual(['pi_a']);
    expect(await database.db('orders')).toEqual([]);
  });

  it('without any id: unhandled, with a critical break on the event', async () => {
    const [id] = await storeEvents(database.db, [{ event: 'payment_intent.completed', data: { status: 'completed' } }]);
    await applyEvents(deps, [id ?? '']);
    expect(await statuses()).toEqual(['unhandled']);
    expect(await database.db('breaks').select('severity', 'entity_kind', 'entity_id')).toEqual([
      { severity: 'critical', entity_kind: 'event', entity_id: id },
    ]);
  });

  it('one id for two records: both applied, and the collision is a break', async () => {
    const ids = await storeEvents(database.db, [
      { ...completed('a'), id: 'evt_1' },
      { ...completed('b'), id: 'evt_1' },
      { ...completed('a', { totalAmountReceived: '10' }), id: 'evt_1' },
    ]);
    expect(await applyEvents(deps, ids)).toMatchObject({ applied: 3 });
    expect((await intents()).map((row) => row.id)).toEqual(['pi_a', 'pi_b']);
    expect(await database.db('breaks').select('kind', 'severity', 'entity_kind', 'entity_id')).toEqual([
      { kind: 'id_collision', severity: 'critical', entity_kind: 'event', entity_id: ids[1] },
    ]);
  });
});

it('a body that was deleted by its age is no collision: what it said is not known', async () => {
  const [first = ''] = await storeEvents(database.db, [{ ...completed('a'), id: 'evt_1' }]);
  await applyEvents(deps, [first]);
  await database
    .db('inbox')
    .where({ id: first })
    .update({ body: Buffer.alloc(0) });
  const ids = await storeEvents(database.db, [{ ...completed('b'), id: 'evt_1' }]);
  expect(await applyEvents(deps, ids)).toMatchObject({ applied: 1, failed: 0 });
  expect(await database.db('breaks').where({ kind: 'id_collision' })).toEqual([]);
});

describe('an event that can not be applied', () => {
  it('fails alone among 50, is retried later, dead in the end, and replayable once the cause is gone', async () => {
    await refuse('pi_007');
    const ids = await storeEvents(
      database.db,
      names(50).map((name) => completed(name)),
    );
    expect(await applyEvents(deps, ids)).toEqual({ applied: 49, unhandled: 0, failed: 1 });
    const bad = () =>
      database
        .db<InboxRow>('inbox')
        .where({ id: ids[7] ?? '' })
        .first();
    expect(await bad()).toMatchObject({ status: 'failed', attempts: 1, error: expect.stringContaining('poison') });

    await applyOrphaned(deps, going);
    expect(await bad()).toMatchObject({ status: 'failed', attempts: 1 });
    for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt += 1) {
      await database.db('inbox').update({ next_attempt_at: database.db.raw("now() - interval '1 minute'") });
      await applyOrphaned(deps, going);
    }
    expect(await bad()).toMatchObject({ status: 'dead', attempts: MAX_ATTEMPTS });
    expect(await applyOrphaned(deps, going)).toBe(0);

    await cure();
    const queued: string[][] = [];
    const queue = { replay: (some: string[]) => void queued.push(some) };
    expect(await replayEvents({ db: database.db, queue }, [ids[7] ?? '', '999999999'])).toEqual([ids[7]]);
    expect(queued).toEqual([[ids[7]]]);
    expect(await applyEvents(deps, [ids[7] ?? ''])).toMatchObject({ applied: 1 });
    expect(await intents()).toHaveLength(50);
  });

  it('says nothing of its content in the error', async () => {
    await refuse('pi_a');
    const [id] = await storeEvents(database.db, [completed('a', { customerEmail: 'someone@example.com' })]);
    await applyEvents(deps, [id ?? '']);
    expect((await inbox())[0]?.error).not.toMatch(/someone|order-a|select|insert/i);
  });

  it('is not to blame for a database that goes away in the middle', async () => {
    const ids = await storeEvents(
      database.db,
      names(5).map((name) => completed(name)),
    );
    let last: Promise<unknown> = Promise.resolve();
    const cut = setInterval(() => {
      last = database.db
        .raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()')
        .catch(() => {});
    }, 2);
    await applyEvents(deps, ids).catch(() => {});
    clearInterval(cut);
    await last;
    // The pool learns of each cut connection a moment later.
    await vi.waitFor(() => database.db.raw('SELECT 1'), 5_000);
    expect((await inbox()).every((row) => row.attempts === 0 && row.status !== 'failed')).toBe(true);
    await applyEvents(deps, ids);
    expect(new Set(await statuses())).toEqual(new Set(['applied']));
  });
});

it('whatever the data holds, an event is applied or unhandled, never failed', async () => {
  const text = fc.constantFrom(
    '',
    'pi_1',
    'order-1',
    'x'.repeat(3_000),
    'a\u0000b',
    '\ud800',
    '2023-13-45',
    'infinity',
    '1e400',
  );
  const amount = fc.constantFrom('10', '9'.repeat(40), '-1', 'NaN', `0.${'1'.repeat(30)}`);
  const other = fc.constantFrom(0, -1, 1.5, 1e300, null, true, [], {}, [{}], { id: 'in_1' }, [
    { id: 'in_2', status: 7 },
  ]);
  const value = fc.oneof(text, text, amount, other);
  const { columns, amounts } = recordRules.payment_intent;
  const fields = [
    'irregularStatus',
    'payins',
    'metadata',
    'expiresAt',
    ...amounts,
    ...columns.map(({ field }) => field),
  ];
  const record = fc.record(
    { id: fc.string({ minLength: 1 }), ...Object.fromEntries(fields.map((name) => [name, value])) },
    { requiredKeys: [] },
  );
  const type = fc.constantFrom('payment_intent.completed', 'payment_intent.odd', 'payin.confirmed');
  const given = fc.sample(
    fc.record({ event: type, data: fc.oneof(record, fc.record({ paymentIntent: record, payin: record })) }),
    sized(150, 1_000),
  );
  const ids = await storeEvents(database.db, given);
  expect(await applyEvents(deps, ids)).toMatchObject({ failed: 0 });
});
