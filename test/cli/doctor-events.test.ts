import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { probeEventId, probeRestamping, readDeliveries } from '../../src/wiring/doctor/probe-events.js';

const at = (seconds: number) => new Date(1_900_000_000_000 + seconds * 1_000).toISOString();

/** The n-th event, with what else stands in its envelope. */
function delivery(n: number, envelope: JsonObject = {}, about: JsonObject = {}): JsonObject {
  const timestamp = new LosslessNumber(String(1_900_000_000 + n));
  const payload = { event: 'payment_intent.completed', timestamp, data: { id: `pi_${n}` }, ...envelope };
  return { attempts: new LosslessNumber('1'), createdAt: at(n), lastAttemptAt: at(n), payload, ...about };
}

const probe = (rows: JsonObject[], pointer = 'auto', keyed = false) => {
  const { checks, suggestedEventIdPointer } = probeEventId(readDeliveries(rows), { pointer, keyed });
  return { status: checks[0]?.status, found: checks[0]?.found, suggested: suggestedEventIdPointer };
};

describe('the place of the event id', () => {
  /** Two endpoints, each event delivered to both. */
  const twice = (envelopeOf: (n: number, endpoint: number) => JsonObject) =>
    [1, 2, 3].flatMap((n) => [delivery(n, envelopeOf(n, 1)), delivery(n, envelopeOf(n, 2))]);

  it.each(['id', 'eventId', 'event_id'])('is /%s, where auto searches', (name) => {
    const rows = twice((n) => ({ [name]: `evt_${n}` }));
    expect(probe(rows)).toMatchObject({ status: 'ok', suggested: null });
  });

  it('is found elsewhere, and suggested', () => {
    const rows = twice((n) => ({ meta: { 'a/b': { uuid: `evt_${n}` } }, version: '1' }));
    expect(probe(rows)).toMatchObject({ status: 'finding', suggested: '/meta/a~1b/uuid' });
    expect(probe(rows, '/meta/a~1b/uuid')).toMatchObject({ status: 'ok', suggested: null });
    expect(probe(rows, '/elsewhere')).toMatchObject({ status: 'finding', suggested: '/meta/a~1b/uuid' });
  });

  it('is no place whose value belongs to the delivery, or is shared by events', () => {
    const perDelivery = twice((n, endpoint) => ({ nonce: `${n}-${endpoint}`, account: 'm_1' }));
    expect(probe(perDelivery)).toMatchObject({ status: 'ok', suggested: null });
    expect(probe(perDelivery, '/nonce')).toMatchObject({ status: 'finding', suggested: 'none' });
    expect(probe(perDelivery, '/account')).toMatchObject({ status: 'finding', suggested: 'none' });
  });

  it('may be a header, which the history does not show', () => {
    const rows = twice(() => ({}));
    expect(probe(rows, 'auto', true)).toMatchObject({
      status: 'ok',
      found: 'stands in a header: events came with one',
    });
    expect(probe(rows, 'header:X-Event', true)).toMatchObject({ status: 'ok' });
    expect(probe(rows, 'header:X-Event', false)).toMatchObject({ status: 'unknown' });
  });

  it('may be nowhere, which loses nothing', () => {
    expect(probe(twice(() => ({})))).toMatchObject({ status: 'ok', suggested: null });
    expect(
      probe(
        twice(() => ({})),
        'none',
      ),
    ).toMatchObject({ status: 'ok' });
    expect(
      probe(
        twice(() => ({})),
        '/nothing',
      ),
    ).toMatchObject({ status: 'finding', suggested: 'auto' });
  });

  it('is not known from one event, or from what is no event', () => {
    expect(probe([delivery(1, { id: 'a' })])).toMatchObject({ status: 'unknown' });
    expect(probe([{ payload: 'no JSON' }, { payload: null }, {}, { payload: '[]' }])).toMatchObject({
      status: 'unknown',
    });
  });

  it('is known from payloads that are texts, too', () => {
    const rows = [1, 2].map((n) => ({ payload: `{"event":"x","timestamp":1,"uid":"e${n}","data":{"n":${n}}}` }));
    expect(probe(rows)).toMatchObject({ status: 'finding', suggested: '/uid' });
  });
});

describe('the time of a retry', () => {
  const retried = (n: number, stampedAt: number) =>
    delivery(
      n,
      { timestamp: new LosslessNumber(String(1_900_000_000 + stampedAt)) },
      { attempts: new LosslessNumber('3'), createdAt: at(n), lastAttemptAt: at(n + 600) },
    );
  const probed = (...rows: JsonObject[]) => probeRestamping(readDeliveries(rows), 300);

  it.each([
    [[retried(1, 1), retried(2, 2)], 'carry the time of the first attempt: those later than 300 s'],
    [[retried(1, 601), retried(2, 602)], 'carry the time of their own attempt'],
    [[retried(1, 1), retried(2, 602)], 'or of their own'],
  ])('is known by deliveries that were tried again', (rows, says) => {
    expect(probed(...rows)).toMatchObject({ status: 'ok', found: expect.stringContaining(says) as string });
  });

  it('is not known where none was', () => {
    expect(probed(delivery(1), delivery(2))).toMatchObject({ status: 'unknown' });
    expect(probed(delivery(1, {}, { attempts: new LosslessNumber('2') }))).toMatchObject({ status: 'unknown' });
  });
});
