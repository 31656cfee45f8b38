import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { listPage } from '../../src/console/records/list-page.js';
import { sheets } from '../../src/console/records/sheet.js';
import { detailsFor } from '../../src/console/view/personal.js';
import { isHidden } from '../../src/domain/personal.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { bearer, testConsole } from '../support/console.js';
import { useDatabase } from '../support/database.js';
import { storeEvents } from '../support/events.js';
import { poll, report } from '../support/observations.js';
import { save } from '../support/saved.js';

const MAIL = 'ann@example.com';
const NAME = 'Ann Example';
const PHONE = '+33123456789';

const store = useDatabase();
let app: ReturnType<typeof testConsole>['app'];

beforeAll(async () => {
  app = testConsole(store.db).app;
  const created = { createdAt: '2026-10-01T12:00:00Z' };
  await save(store, [
    poll('payment_intent', { id: 'pi_1', status: 'completed', customerEmail: MAIL, payins: [], ...created }, 1),
    poll(
      'invoice',
      {
        id: 'in_1',
        status: 'sent',
        customerName: NAME,
        toEmail: MAIL,
        description: `call ${PHONE}`,
        ...created,
      },
      1,
    ),
    poll('account', { id: 'ac_1', status: 'active', label: NAME, email: MAIL, ...created }, 1),
    poll(
      'payout',
      {
        id: 'po_1',
        status: 'pending',
        amount: '12.5',
        destination: MAIL,
        failureReason: `the transfer to ${MAIL} was refused`,
        statusHistory: [{ status: 'pending', note: `sent to ${MAIL} and ${PHONE}` }],
        ...created,
      },
      1,
    ),
    report('payment_intent', 'pi_reported', { id: 'pi_reported', customerEmail: MAIL, note: `call ${PHONE}` }, 2),
    report('account', 'ac_1', { id: 'ac_1', status: 'frozen', label: `${NAME} 2`, email: MAIL }, 2),
    report(
      'payout',
      'po_reported',
      { id: 'po_reported', destination: MAIL, statusHistory: [{ note: `to ${MAIL}` }] },
      2,
    ),
  ]);
  await storeEvents(store.db, [
    { event: 'payment_intent.completed', data: { id: 'pi_1', customerEmail: MAIL, note: `call ${PHONE}` } },
  ]);
  await store.db('inbox').insert({
    key: 'no json',
    key_type: 'id',
    content_hash: 'c',
    event_type: 'a.b',
    event_timestamp: 1,
    source: 'webhook',
    body: Buffer.from(`to ${MAIL}`),
  });
  const refused = { reason: 'invalid_signature', detail: 'none matches', diagnosis: null, bodySize: 9, bodyHash: 'h' };
  await saveRejections(
    store.db,
    [{ ...refused, firstBytes: Buffer.from(MAIL), rejectedAt: new Date(), likeService: false }],
    [],
  );
});

const get = (path: string, role: string) => request(app).get(`/api/v1/${path}`).set(bearer(role));

const lists = [
  'payment-intents',
  'invoices',
  'accounts',
  'payouts',
  'events',
  'rejections',
  'orders',
  'changes',
  'deliveries',
];
const single = [
  'payment-intents/pi_1',
  'payment-intents/pi_reported',
  'invoices/in_1',
  'accounts/ac_1',
  'payouts/po_1',
  'payouts/po_reported',
  'events/1',
  'events/2',
];

describe("a viewer's token shows nothing personal", () => {
  it.each([...lists, ...single])('%s', async (path) => {
    const { status, text } = await get(path, 'viewer');
    expect(status).toBe(200);
    expect(text).not.toContain(MAIL);
    expect(text).not.toContain(NAME);
    expect(text).not.toContain(PHONE);
  });

  it('and all the rest as it is', async () => {
    const [seen, known] = await Promise.all(
      ['viewer', 'operator'].map(async (role) => (await get('payouts/po_1', role)).body),
    );
    const masked = { destination: '[masked]', failureReason: 'the transfer to [masked] was refused' };
    const statusHistory = [{ status: 'pending', note: 'sent to [masked] and [masked]' }];
    expect(seen).toEqual({ ...known, ...masked, statusHistory });
    expect(seen).toMatchObject({ amount: '12.5', status: 'pending' });
  });

  it('of what reports say too', async () => {
    expect((await get('accounts/ac_1', 'viewer')).body).toMatchObject({
      status: 'active',
      reported: { status: 'frozen', label: '[masked]' },
    });
    expect((await get('payouts/po_reported', 'viewer')).body).toMatchObject({
      reported: { destination: '[masked]', statusHistory: [{ note: 'to [masked]' }] },
    });
  });

  it('while who works with it sees it', async () => {
    for (const path of [...single, 'payment-intents', 'rejections']) {
      expect((await get(path, 'operator')).text, path).toMatch(/ann@example\.com|Ann Example/);
    }
  });

  it('and can not be used to ask for one', async () => {
    expect((await get('accounts?label=Ann', 'viewer')).status).toBe(400);
    for (const sheet of sheets)
      expect([sheet.kind, listPage(sheet).filters?.filter(({ name }) => isHidden(sheet.kind, name))]).toEqual([
        sheet.kind,
        [],
      ]);
    const found = await get(`accounts?label=${encodeURIComponent(NAME)}`, 'operator');
    expect(found.body.items).toHaveLength(1);
    expect((await get('accounts?status=active', 'viewer')).body.items).toHaveLength(1);
  });
});

it('the secrets that a closing keeps are not for viewers, by the API or on the page', async () => {
  const details = { missing: [], secrets: [{ label: 'old-shop', fingerprint: 'f1nger' }] };
  const about = { actor: 'ann', action: 'close period', target: 'period 2026-09', outcome: 'done' as const };
  await recordAction(store.db, { ...about, details });
  const [{ id }] = (await get('actions', 'operator')).body.items;
  for (const path of ['actions', `actions/${id}`]) {
    const seen = await get(path, 'viewer');
    expect(seen.text, path).toContain('missing');
    expect(seen.text, path).not.toMatch(/old-shop|f1nger/);
    expect((await get(path, 'operator')).text, path).toContain('f1nger');
  }
  expect(detailsFor({ role: 'viewer' }, details)).toEqual({ missing: [] });
  expect(detailsFor({ role: 'finance' }, details)).toEqual(details);
});
