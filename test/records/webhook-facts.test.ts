import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import { asksHistory } from '../../src/notify/alert-loop.js';
import { webhookFacts } from '../../src/records/alerts/webhook-facts.js';
import { calm, provenKind } from '../domain/calm-facts.js';
import { resettableDatabase } from '../support/resettable-database.js';

const database = resettableDatabase();
const NOW = new Date('2026-11-04T12:34:00Z');
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
let made = 0;

const found = async () =>
  findAlerts({ ...calm, ...(await webhookFacts(database.db, NOW)) }).map(({ name }) => name.replace('Tallyhook', ''));

interface Event {
  minutes: number;
  label?: string;
  mark?: string;
}

/** As if they had come by webhook. */
async function came(events: readonly Event[]): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = events.map(({ minutes, label = 'shop', mark = null }) => {
    made += 1;
    const about = { key_type: 'id', event_type: 'payment_intent.completed', event_timestamp: 1, status: 'applied' };
    const from = { source: 'webhook', secret_label: label, mark, received_at: ago(minutes), body: Buffer.from('{}') };
    return { key: `id:${made}`, content_hash: `hash ${made}`, ...about, ...from };
  });
  const ids = await database.db('inbox').insert(rows).returning('id');
  const last = Math.min(...events.map(({ minutes }) => minutes));
  for (const label of new Set(rows.map((row) => row.secret_label)))
    await database.db.raw(
      `INSERT INTO secrets (label, fingerprint, first_match_at, last_match_at) VALUES (?, 'f', ?, ?)
       ON CONFLICT (label) DO UPDATE SET last_match_at = greatest(secrets.last_match_at, excluded.last_match_at)`,
      [label, ago(last), ago(last)],
    );
  return ids.map(({ id }) => id);
}

/** As the history shows it. */
async function sent(events: readonly { minutes: number; inboxId?: string | null; class?: string }[]): Promise<void> {
  if (events.length === 0) return;
  await database.db('deliveries').insert(
    events.map(({ minutes, inboxId = null, class: kind = 'received' }) => {
      made += 1;
      const shown = {
        ours: true,
        missed: false,
        open: kind !== 'received',
        poll_from: 1,
        poll_ref: 'run',
        attempts: 1,
      };
      const http_status = kind === 'received' ? 200 : 401;
      return { id: `wd_${made}`, class: kind, inbox_id: inboxId, created_at: ago(minutes), http_status, ...shown };
    }),
  );
}

async function trulyCame(minutes: readonly number[], label = 'shop'): Promise<void> {
  const ids = await came(minutes.map((one) => ({ minutes: one, label })));
  await sent(minutes.map((one, n) => ({ minutes: one, inboxId: ids[n] ?? null })));
}

async function forged(minutes: readonly number[], { label = 'stolen', state = 'not_sent' } = {}): Promise<void> {
  const ids = await came(minutes.map((one) => ({ minutes: one, label })));
  const rows = ids.map((id, n) => ({ inbox_id: id, secret_label: label, received_at: ago(minutes[n] ?? 0), state }));
  if (rows.length > 0) await database.db('report_checks').insert(rows);
}

async function rejected(minutes: readonly number[], { reason = 'invalid_signature', likeService = true } = {}) {
  const about = { reason, detail: 'd', body_size: 0, body_hash: 'x', first_bytes: Buffer.from('') };
  for (const one of minutes) {
    const at = ago(one);
    await database.db('rejections').insert({ ...about, rejected_at: at, like_service: likeService });
    await database.db.raw(
      `INSERT INTO rejection_counts AS known (hour, reason, count, like_service) VALUES (date_trunc('minute', ?::timestamptz), ?, 1, ?)
       ON CONFLICT (hour, reason) DO UPDATE SET count = known.count + 1, like_service = known.like_service + excluded.like_service`,
      [at, reason, likeService ? 1 : 0],
    );
  }
}

/** A complete reading of the delivery history that began then. */
const historyRead = (minutes: number) =>
  database.db('runs').insert({
    kind: 'deliveries',
    full: false,
    status: 'succeeded',
    complete: true,
    started_at: ago(minutes),
    finished_at: ago(minutes),
    heartbeat_at: ago(minutes),
  });

const range = (from: number, to: number, n: number) =>
  Array.from({ length: n }, (_, i) => from + ((to - from) * i) / n);

beforeEach(() => {
  made = 0;
});

describe('silence', () => {
  test('half an hour after a busy morning is an alert, and one webhook that the history has ends it', async () => {
    await historyRead(3);
    await trulyCame(range(40, 340, 200));
    expect(await found()).toEqual(['NoWebhooks']);
    await trulyCame([20]);
    expect(await found()).toEqual([]);
  });

  test('without a history a webhook counts until the service denies what it is about', async () => {
    await came(range(40, 340, 200).map((minutes) => ({ minutes })));
    const [id] = await came([{ minutes: 20 }]);
    expect(await found()).toEqual([]);
    const { db } = database;
    await db('event_records').insert([
      { entity_kind: 'payment_intent', entity_id: 'pi_made_up', inbox_id: id },
      { entity_kind: 'order', entity_id: 'order-1', inbox_id: id },
    ]);
    const shown = { shown: '{}', verified: false, observed_at: NOW, observed_by_type: 'poll', observed_by_ref: '1' };
    await db('payment_intents').insert({ id: 'pi_made_up', ...shown });
    expect(await found()).toEqual([]);
    await db('payment_intents').update({ absent_since: ago(19) });
    expect(await found()).toEqual(['NoWebhooks']);
  });
});

/** What others can do: send junk, imitate the headers, sign under the secret that they hold, and mark what they sign. */
const minute = fc.double({ min: 0, max: 29, noNaN: true });
const attack = fc.record({
  junk: fc.array(fc.tuple(minute, fc.constantFrom('missing_signature', 'invalid_body', 'invalid_signature')), {
    maxLength: 5,
  }),
  forgeries: fc.array(minute, { maxLength: 40 }),
  state: fc.constantFrom('not_sent', 'differs', 'unmatched'),
  marked: fc.array(minute, { maxLength: 3 }),
  isOurs: fc.boolean(),
});

type Attack = typeof attack extends fc.Arbitrary<infer One> ? One : never;

async function attacked({ junk, forgeries, state, marked, isOurs }: Attack) {
  for (const [at, reason] of junk) await rejected([at], { reason, likeService: false });
  const label = isOurs ? 'shop' : 'stolen';
  // What the history had no time to show is known a reading later.
  await forged(
    forgeries.map((at) => (state === 'unmatched' ? Math.max(at, 4.1) : at)),
    { label, state },
  );
  await came(marked.map((minutes) => ({ minutes, label, mark: 'trigger' })));
}

describe('whatever others send', () => {
  test('no silence is hidden', async () => {
    await fc.assert(
      fc.asyncProperty(attack, async (given) => {
        await database.reset();
        await historyRead(3);
        await trulyCame(range(40, 340, 130));
        await attacked(given);
        expect(await found()).toContain('NoWebhooks');
      }),
      { numRuns: 30 },
    );
  });

  test('no rejected webhook of the service is hidden, and no clock that is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(
        attack,
        fc.constantFrom('invalid_signature' as const, 'expired_timestamp' as const),
        fc.integer({ min: 3, max: 6 }),
        async (given, reason, n) => {
          await database.reset();
          await historyRead(3);
          await trulyCame(range(50, 340, 50));
          const at = range(0.5, 4.5, n);
          await rejected(at, { reason });
          await sent(at.map((minutes) => ({ minutes, class: 'pending_retry' })));
          await attacked(given);
          expect(await found()).toContain(reason === 'invalid_signature' ? 'InvalidSignatures' : 'ExpiredTimestamps');
        },
      ),
      { numRuns: 60 },
    );
  });

  test('what imitates the service where all that it sent came is over with the next reading of the history', async () => {
    await trulyCame(range(6, 60, 40));
    await rejected(range(4.5, 5, 9));
    expect(await found()).toEqual(['InvalidSignatures']);
    await historyRead(2);
    expect(await found()).toEqual([]);
    await sent([{ minutes: 4.6, class: 'pending_retry' }]);
    expect(await found()).toEqual(['InvalidSignatures']);
  });

  test('what is forged for the first time hides rejected ones until the history is read, which is asked for within a minute', async () => {
    const asks = async (ageSeconds: number) =>
      asksHistory({
        ...(await webhookFacts(database.db, NOW)),
        kinds: [provenKind('deliveries', { ageSeconds })],
      });
    await historyRead(3);
    await rejected(range(1.5, 2, 2));
    expect(await asks(180)).toBe(false);
    await rejected([1.5]);
    await sent(range(1.5, 2, 3).map((minutes) => ({ minutes, class: 'pending_retry' })));
    await forged([...range(1.6, 2, 20), 0.1], { state: 'unmatched' });
    expect(await found()).toEqual([]);
    expect([await asks(180), await asks(60)]).toEqual([true, false]);
    await historyRead(0.5);
    expect(await found()).toEqual(['InvalidSignatures']);
  });

  test('many others wash no rejected one of the service away', async () => {
    await historyRead(3);
    await rejected(range(1, 4, 5));
    await sent(range(1, 4, 5).map((minutes) => ({ minutes, class: 'pending_retry' })));
    await database.db('rejections').del();
    expect(await found()).toEqual(['InvalidSignatures']);
  });
});
