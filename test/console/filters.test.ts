import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiDocument } from '../../src/console/api/serve-document.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { bearer, testConsole, tokenOf } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { storeEvents } from '../support/events.js';
import { poll, report } from '../support/observations.js';
import { save } from '../support/saved.js';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  ({ app } = testConsole(store.db));
  const { db } = store;
  await save(store, [
    poll('payment_intent', { id: 'pi_read', status: 'completed', payins: [] }, 1),
    report('payment_intent', 'pi_claimed', { id: 'pi_claimed', status: 'completed', payins: [] }, 1),
    poll('balance', { id: 'BTC', assetCode: 'BTC', balance: '1' }, 1),
    poll('balance', { id: 'ETH', assetCode: 'ETH', balance: '2' }, 1),
    poll('endpoint', { id: 'we_on', url: 'https://a.example', isActive: true }, 1),
    poll('endpoint', { id: 'we_off', url: 'https://a.example\0', isActive: false }, 1),
    poll('endpoint', { id: 'we_unclear', url: 'https://a.example', note: '"isActive":true' }, 1),
  ]);
  const run = { kind: 'invoices', status: 'succeeded' };
  await db('runs').insert([
    { ...run, full: true, complete: true },
    { ...run, full: true, complete: false },
    { ...run, full: false, complete: true },
  ]);
  await storeEvents(db, [
    { event: 'payout.failed', data: { id: 'po_1' } },
    { event: 'payout.failed', data: { id: 'po_2' } },
  ]);
  for (const reference of ['A-1', 'a-1'])
    await db.transaction((trx) => registerOrder(trx, { reference, amount: '1', currency: 'EUR' }));
  const refused = { reason: 'invalid_body', detail: 'no JSON', diagnosis: null, bodySize: 9, bodyHash: 'h' };
  await saveRejections(
    db,
    [{ ...refused, firstBytes: Buffer.from('<html>'), rejectedAt: new Date(), likeService: false }],
    [],
  );
});

function get(path: string, role = 'viewer') {
  return request(app).get(`/api/v1/${path}`).set(bearer(role));
}

async function found(path: string, name = 'id'): Promise<unknown[]> {
  const { body } = await get(path).expect(200);
  return body.items.map((item: Record<string, unknown>) => item[name]);
}

const eventStatuses = ['received', 'applied', 'failed', 'unhandled', 'dead'];

describe('a filter of a closed list of ours', () => {
  it.each([
    ['breaks?status=Open', 'status', ['open', 'acknowledged', 'resolved', 'written_off', 'auto_resolved', 'any']],
    ['breaks?kind=missed', 'kind', ['missed_webhook', 'phantom_delivery']],
    ['breaks?severity=grave', 'severity', ['critical', 'high', 'medium', 'low']],
    ['breaks?entityKind=payment_intents', 'entityKind', ['payment_intent', 'delivery', 'order', 'secret', 'event']],
    ['events?status=failled', 'status', eventStatuses],
    ['events?source=webhooks', 'source', ['webhook', 'delivery_history']],
    ['deliveries?class=neverreached', 'class', ['received', 'never_reached', 'phantom']],
    ['deliveries?missed=yes', 'missed', ['true', 'false']],
    ['rejections?reason=signature', 'reason', ['invalid_signature', 'too_large', 'unsupported_encoding']],
    ['runs?kind=payment_intents', 'kind', ['payment-intents', 'catalog']],
    ['runs?status=done', 'status', ['running', 'succeeded', 'failed', 'aborted']],
    ['runs?complete=1', 'complete', ['true', 'false']],
    ['orders?status=Paid', 'status', ['paid', 'paid_unverified', 'shared_reference']],
    ['periods?status=shut', 'status', ['open', 'closed']],
    ['entries?recordKind=payments', 'recordKind', ['payment_intent', 'opening', 'placement']],
    ['callbacks?status=', 'status', ['pending', 'sent', 'dead', 'superseded']],
    ['alerts?status=on', 'status', ['pending', 'firing', 'resolved']],
    ['alerts?severity=high', 'severity', ['critical', 'warning']],
    ['actions?outcome=ok', 'outcome', ['done', 'asked', 'refused']],
    ['match?state=lost', 'state', ['matched', 'unmatched', 'open']],
    ['match?age=old', 'age', ['0-30', '31-60', '61-90', '90+']],
    ['payment-intents?verified=yes', 'verified', ['true', 'false']],
  ])('%s is refused with what is known, as it is documented', async (path, parameter, known) => {
    const { status, body, type } = await get(path);
    expect([status, type, body.parameter]).toEqual([400, 'application/problem+json', parameter]);
    const [list = '', given = ''] = path.split(`?${parameter}=`);
    expect(body.detail).toContain(`${parameter} is "${given}"; it takes `);
    const documented = apiDocument().paths[`/${list}`]?.get?.parameters.find(({ name }) => name === parameter);
    const words = documented?.schema.enum as string[];
    expect(words).toEqual(expect.arrayContaining(known));
    expect(body.detail).toContain(words.join(', '));
    for (const word of words) await get(`${list}?${parameter}=${encodeURIComponent(word)}`).expect(200);
  });

  it('is none where the words are the service’s: it may name new ones', async () => {
    for (const path of ['payment-intents?status=paused', 'payouts?status=new', 'payins?kytStatus=new'])
      expect(await found(path), path).toEqual([]);
    expect(await found('deliveries?status=new')).toEqual([]);
    expect(await found('events?eventType=payout.new')).toEqual([]);
  });

  it('is refused by pages of the console too', async () => {
    const here = { Host: 'console.example', Origin: 'https://console.example', 'Sec-Fetch-Site': 'same-origin' };
    const signedIn = await request(app)
      .post('/sign-in')
      .set(here)
      .type('form')
      .send({ token: tokenOf('viewer') });
    const cookie = String(signedIn.get('set-cookie')).split(';')[0] ?? '';
    for (const path of [
      'breaks?status=Open',
      'events?status=failled',
      'runs?kind=payment_intents',
      'orders?status=Paid',
    ])
      await request(app).get(`/${path}`).set('Cookie', cookie).expect(400);
  });
});

describe('a list is narrowed by its fields’ own names', () => {
  it('verified, of every record', async () => {
    expect(await found('payment-intents?verified=false')).toEqual(['pi_claimed']);
    expect(await found('payment-intents?verified=true')).toEqual(['pi_read']);
    expect(await found('payment-intents?verified=false&status=pending')).toEqual([]);
    const records = Object.entries(apiDocument().paths).filter(
      ([, { get: list }]) => list?.parameters.some(({ name }) => name === 'verified') === true,
    );
    expect(records.map(([path]) => path)).toEqual([
      '/payment-intents',
      '/payins',
      '/invoices',
      '/payouts',
      '/accounts',
      '/transactions',
      '/balances',
      '/endpoints',
      '/settlement-accounts',
      '/products',
      '/assets',
    ]);
    for (const [path] of records) await get(`${path.slice(1)}?verified=false`).expect(200);
  });

  it('assetCode of balances, isActive of endpoints', async () => {
    expect(await found('balances?assetCode=ETH', 'assetCode')).toEqual(['ETH']);
    expect(await found('balances?assetCode=eth')).toEqual([]);
    expect(await found('endpoints?isActive=true')).toEqual(['we_on']);
    expect(await found('endpoints?isActive=false')).toEqual(['we_off']);
  });

  it('complete and full of runs, key of events, reference of orders', async () => {
    expect(await found('runs?complete=false')).toEqual(['2']);
    expect(await found('runs?full=true')).toEqual(['2', '1']);
    expect(await found('runs?full=false&complete=true')).toEqual(['3']);
    const [key] = await store.db('inbox').where({ id: 1 }).pluck('key');
    // It is a hash of the content: not for viewers.
    const byKey = async (role?: 'operator') => (await get(`events?key=${encodeURIComponent(key)}`, role)).body.items;
    expect(await byKey('operator')).toMatchObject([{ id: '1' }]);
    expect(await byKey()).toEqual([]);
    expect(await found('events?key=none')).toEqual([]);
    expect(await found('orders?reference=a-1', 'reference')).toEqual(['a-1']);
    expect(await found('orders?reference=A-2')).toEqual([]);
    await get('orders?reference=%00').expect((answer) => expect([200, 400]).toContain(answer.status));
  });
});

describe('one rejected request', () => {
  it('is answered as it stands in the list', async () => {
    const [listed] = (await get('rejections', 'operator').expect(200)).body.items;
    expect(listed).toMatchObject({ reason: 'invalid_body', firstBytes: '<html>' });
    expect((await get(`rejections/${listed.id}`, 'operator').expect(200)).body).toEqual(listed);
  });

  it('is shown to viewers without what it began with', async () => {
    const [listed] = (await get('rejections').expect(200)).body.items;
    const one = (await get(`rejections/${listed.id}`).expect(200)).body;
    expect(one).toEqual(listed);
    expect(one.firstBytes).toBe('[masked]');
  });

  it('is not there under any other id', async () => {
    for (const id of ['999', 'x', '%00', '9'.repeat(30)]) await get(`rejections/${id}`).expect(404);
  });
});
