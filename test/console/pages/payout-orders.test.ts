import { beforeAll, expect, it } from 'vitest';
import { createServiceWriteLog } from '../../../src/records/service-writes.js';
import { prepareKeyed } from '../../../src/service-api/keyed-calls.js';
import { testConsole } from '../../support/console.js';
import { type Reader, visit } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';
import { at, poll, report } from '../../support/observations.js';
import { payout } from '../../support/records.js';
import { save, savePaid } from '../../support/saved.js';

const store = useDatabase();
let operator: Reader;

beforeAll(async () => {
  for (const pi of ['linked', 'unlinked', 'reported', 'called']) await savePaid(store, pi);
  const { write } = prepareKeyed('createRefund', { body: { paymentIntentId: 'called' } });
  const log = createServiceWriteLog(store.db);
  await log.begin(write, { leaseMs: 60_000, withinMs: 480_000 });
  await log.end(write, 'lost', null);
  await store.db('service_writes').update({ begun_at: new Date(at(0)) });
  await save(store, [
    poll('payout', payout('po_linked', { status: 'confirmed', paymentIntentId: 'linked' }), 20),
    poll('payout', payout('po_unlinked', { merchantReference: 'order-unlinked' }), 20),
    poll('payout', payout('po_called', { merchantReference: 'order-called' }), 20),
    report('payout', 'po_reported', { status: 'confirmed', paymentIntentId: 'reported' }, 20),
    poll('payout', payout('po_own', { payoutType: 'withdrawal' }), 20),
  ]);
  operator = await visit(testConsole(store.db).app, 'operator');
});

it.each([
  ['po_linked', 'order-linked', 'refunded', null],
  ['po_unlinked', 'order-unlinked', 'nothing says of which payment', 'tallyhook refunds assign po_unlinked'],
  [
    'po_called',
    'order-called',
    'own call refund-called may have made it',
    'calls settle refund-called --note WHY --as done:po_called',
  ],
  ['po_reported', 'order-reported', 'Only webhooks say whose refund it is', 'say whose refund it is, above'],
])('the page of %s names its order %s, why it is held, and what ends that', async (own, order, why, remedy) => {
  const page = await operator.get(`/payouts/${own}`);
  expect(page.text.toLowerCase()).toContain(why.toLowerCase());
  if (remedy !== null) expect(page.text).toContain(remedy);
  const [, table = ''] = page.main.split('aria-label="Orders that it concerns"');
  const linked = await operator.get(page.link(order, table));
  expect(linked.heading).toContain(order);
  if (remedy !== null && own !== 'po_reported') expect(linked.notices).toContain(remedy);
});

it('a withdrawal concerns no order', async () => {
  const { text } = await operator.get('/payouts/po_own');
  expect(text).not.toContain('Orders that it concerns');
  expect(text).not.toContain('Whose refund');
  expect(text).toContain('unlinked');
});
