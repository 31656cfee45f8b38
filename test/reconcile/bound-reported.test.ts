import { afterEach, expect, test } from 'vitest';
import { boundReported } from '../../src/records/breaks/bound-reported.js';
import type { NewBreak } from '../../src/records/breaks/breaks.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import { inTransaction } from '../../src/records/database/statements.js';
import { listRecords } from '../../src/records/rows.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { type Forger, forger, informedForger, seconds } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';

const LONG_AGO = new Date(Date.now() - 86_400_000).toISOString();
const RULES = { adoptedAt: new Date(0) };
const database = resettableDatabase();
let flow: DeliveryFlow;
let who: Forger;
afterEach(() => flow.close());

test('of a flood of records that do not exist a hundred have a break of their own, and one counts the rest', async () => {
  flow = await startDeliveryFlow({ database });
  who = await informedForger(flow);
  const forge = async (n: number) => {
    const data = { id: `pi_none_${n}`, status: 'completed', amountRequested: '1', createdAt: LONG_AGO };
    await who.send('live', { event: 'payment_intent.completed', timestamp: seconds() - 2, data });
  };
  const found = async () => {
    await flow.apply();
    await flow.run('payment-intents', { full: true });
    const { items } = await listBreaks(flow.db, { kind: 'record_not_at_service', status: 'open', take: 500 });
    const single = items.filter(({ entity }) => entity.kind !== 'secret').length;
    return { single, counting: items.find(({ entity }) => entity.kind === 'secret') ?? null };
  };
  const forgeFrom = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from }, (_, n) => forge(from + n)));
  await forgeFrom(0, 100);
  expect(await found()).toEqual({ single: 100, counting: null });
  await forgeFrom(100, 120);
  const counting = { severity: 'critical', entity: { kind: 'secret', id: 'live' } };
  expect(await found()).toMatchObject({
    single: 100,
    counting: { ...counting, evidence: { reason: 'many', ours: { records: '20', some: expect.any(Array) } } },
  });
  await forgeFrom(120, 125);
  expect(await found()).toMatchObject({ single: 100, counting: { evidence: { ours: { records: '25' } } } });
  const listed = await flow.db('payment_intents').whereRaw('NOT verified').whereNotNull('absent_since').pluck('id');
  expect(listed).toHaveLength(125);
  // A record that the service has shown, and shows no more, has a break of its own.
  const [real] = (await listRecords(flow.db, 'payment_intent', { filters: { verified: 'true' } })).items;
  const [from, source] = [Date.now() + 60_000, { type: 'poll', ref: '1' } as const];
  const absence = { type: 'absence', kind: 'payment_intent', id: String(real?.id), from, to: from, source } as const;
  await flow.db.transaction((trx) => saveObservations(trx, [absence], { ...RULES, now: new Date() }));
  expect(await found()).toMatchObject({ single: 101, counting: { evidence: { ours: { records: '25' } } } });
});

test('of a flood of events that name no record a hundred have a break of their own, and one counts the rest', async () => {
  flow = await startDeliveryFlow({ database });
  who = await informedForger(flow);
  for (let n = 0; n < 130; n += 1)
    await who.send('live', { event: 'payment_intent.completed', timestamp: seconds() - 2, data: { foo: n } });
  await flow.apply();
  const { items } = await listBreaks(flow.db, { kind: 'contract_violation', status: 'open', take: 500 });
  const [counting, ...others] = items.filter(({ entity }) => entity.kind === 'secret');
  expect([items.length, others.length]).toEqual([101, 0]);
  expect(counting).toMatchObject({
    severity: 'critical',
    entity: { id: 'live' },
    evidence: { reason: 'many', ours: { records: '30', now: 'the events with status=unhandled' } },
  });
  expect(await flow.db('inbox').where({ status: 'unhandled' }).count({ n: '*' }).first()).toEqual({ n: '130' });
});

test('a record that an event of another secret reported too is counted for that one, not for the one that leaked', async () => {
  flow = await startDeliveryFlow({ database });
  who = forger(flow);
  flow.addEndpoint('live');
  flow.addEndpoint('next');
  await flow.pay(1);
  await who.learn();
  const [forged, real] = [await who.forge('live'), await who.forge('next')];
  const check = { inbox_id: forged, secret_label: 'live', received_at: new Date(), state: 'not_sent' };
  await flow.db('report_checks').insert(check);
  await flow.db('secrets').where({ label: 'live' }).update({ leaked_at: new Date() });
  const finding = {
    kind: 'record_not_at_service',
    severity: 'critical',
    entity_kind: 'payment_intent',
    evidence: '{}',
  };
  await flow.db('breaks').insert(Array.from({ length: 100 }, (_, n) => ({ ...finding, entity_id: `pi_${n}` })));
  const entity = { kind: 'payment_intent', id: 'pi_both' } as const;
  const both = { kind: 'record_not_at_service', entity, evidence: {}, reportedBy: [forged, real] } satisfies NewBreak;
  const [counting] = await inTransaction(flow.db, true, (trx) => boundReported(trx, [both]));
  expect(counting).toMatchObject({ entity: { kind: 'secret', id: 'next' }, evidence: { reason: 'many' } });
});
