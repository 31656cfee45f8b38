import { afterEach, expect, test } from 'vitest';
import { type DeliveryFlow, startDeliveryFlow } from '../support/delivery-flow.js';
import { informedForger, otherHistory, seconds, without } from '../support/forger.js';
import { resettableDatabase } from '../support/resettable-database.js';

const LONG = process.env['TALLYHOOK_LONG'] !== undefined;
const [REAL, FORGED] = LONG ? [5_000, 50] : [200, 2];

let flow: DeliveryFlow;
const database = resettableDatabase();
afterEach(() => flow.close());

test(
  'forged events among a hundred times as many real ones, through a rotation, a retry and a replay: each is named, and none besides',
  async () => {
    flow = await startDeliveryFlow({ database, sandbox: { retrySchedule: [0.05] } });
    const who = await informedForger(flow, 'old');
    flow.sandbox.control.setFaults({ restamp: true, flaky: 0.05, duplicate: 0.05, stampApartSeconds: 1 });
    const forged: string[] = [];
    await who.payUntil(REAL / 2);
    for (let n = 0; n < FORGED; n += 2) forged.push(await who.forge('old'));
    flow.addEndpoint('new');
    await who.payUntil(REAL);
    for (let n = forged.length; n < FORGED; n += 1) forged.push(await who.forge('new'));
    // Somebody sends again what was caught, and stamps it anew.
    const row = await flow.db('inbox').where({ secret_label: 'old' }).orderBy('id').first('body');
    const real = JSON.parse(row.body.toString('utf8'));
    await who.send('old', { ...real, timestamp: seconds() });
    await who.noteMatches();
    flow.sandbox.control.setFaults({ drop: 1 });
    await flow.pay(1);
    flow.sandbox.control.advance(1);
    await flow.sandbox.control.deliveriesIdle();
    flow.sandbox.control.setFaults({});
    await flow.run('endpoints');
    const run = await flow.run('deliveries');
    expect(run).toMatchObject({ complete: true, status: 'succeeded' });
    expect(run.proof['recovered']).toBeGreaterThan(0);
    await flow.apply();
    await flow.run('deliveries', { full: true });
    expect(await who.named()).toEqual(forged.toSorted());
    expect(await who.differing()).toEqual([]);
    const [one] = await who.notSent();
    expect(one).toMatchObject({
      severity: 'critical',
      entity: { kind: 'event' },
      evidence: {
        reason: 'not_listed',
        ours: {
          eventType: 'payment_intent.completed',
          secret: 'new',
          key: expect.any(String),
          receivedAt: expect.any(String),
          names: { id: expect.stringMatching(/^pi_forged_/), merchantReference: expect.stringMatching(/^F-/) },
        },
        theirs: { historyReadAt: expect.any(String), knownSince: expect.any(String) },
        mayBe: expect.stringContaining('test send'),
        source: { type: 'poll', ref: expect.any(String) },
      },
    });
    const olds = Math.ceil(FORGED / 2);
    expect(await who.secret('old')).toMatchObject({
      notSent: olds,
      untold: null,
      next: expect.stringContaining('may have leaked'),
    });
    expect(await who.secret('new')).toMatchObject({ notSent: FORGED - olds });
    // What is known is not checked again, and no row is kept of what is matched.
    const rows = await flow.db('report_checks').whereNot({ state: 'matched' });
    expect(rows.map(({ inbox_id }): string => inbox_id).sort()).toEqual(forged.toSorted());
  },
  LONG ? 900_000 : 120_000,
);

test(
  'a history that lacks one in twenty is one finding, and no event is named',
  async () => {
    flow = await startDeliveryFlow({ database });
    const who = await informedForger(flow);
    const places = new Map<string, number>();
    const isLacking = ({ id }: { id: string }) => {
      places.set(id, places.get(id) ?? places.size);
      return (places.get(id) ?? 0) % 20 === 0;
    };
    flow.deps.client = otherHistory(flow.sandbox, (page) => without(page, isLacking));
    await who.payUntil(REAL);
    await who.forge('live');
    await who.noteMatches();
    await flow.run('deliveries');
    expect(await who.named()).toEqual([]);
    const [one, ...more] = await who.differing();
    expect(more).toEqual([]);
    expect(one).toMatchObject({ severity: 'high', evidence: { ours: { bySecret: { live: expect.any(String) } } } });
    expect(await who.secret('live')).toMatchObject({
      notSent: null,
      untold: expect.stringContaining('may differ from what was sent'),
      next: expect.stringMatching(/^This secret may have leaked, or the history lacks events/),
    });
    expect((await who.secret('live'))?.lacking).toBeGreaterThan(REAL / 40);
    // The service mends its history: what it lists now was sent, and only the forged one is left.
    flow.deps.client = otherHistory(flow.sandbox, (page) => page);
    await flow.run('deliveries');
    expect(await who.differing()).toEqual([]);
    expect(await who.secret('live')).toMatchObject({ unmatched: 1, lacking: 0, notSent: 0 });
  },
  LONG ? 900_000 : 120_000,
);
