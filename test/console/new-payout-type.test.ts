import { expect, test } from 'vitest';
import { newTypeWords } from '../../src/domain/state/new-payout-type.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { useFreshDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { payNewType, readAll } from '../wiring/fault-steps.js';

const database = useFreshDatabase();

test('the break of a new payout type says what Overview says, leads to its payouts, and how much they are', async () => {
  const { db } = database;
  await payNewType(db);
  const voucher = { payoutType: 'voucher', assetCode: 'USDT.TRC20', feeAmount: '0' };
  await save(database, [
    poll('payout', payout('po_2', { ...voucher, amount: '5' }), 10),
    poll('payout', payout('po_3', { ...voucher, amount: '7.5' }), 10),
    poll('payout', payout('po_4', { assetCode: 'USDT.TRC20', amount: '99' }), 10),
  ]);
  const { id } = await db('breaks').where({ kind: 'contract_violation' }).first('id');
  const console = await visit(testConsole(db).app, 'admin');
  const { main } = await console.get(`/breaks/${id}`);
  const { detail, remedy } = newTypeWords(['voucher'], {
    count: 3,
    money: [
      { amount: '0.5', currency: 'LTC' },
      { amount: '12.5', currency: 'USDT.TRC20' },
    ],
  });
  expect(main).toContain(detail);
  expect(main).toContain(remedy);
  expect(main).toMatch(/href="\/payouts\?payoutType=voucher"[^>]*>3 payouts</);
  const text = main.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  for (const sum of ['0.5 LTC', '12.5 USDT.TRC20']) expect(text).toContain(sum);
  expect(text).toMatch(/ by itself; critical on Overview, for what follows from it: 1 open break: balance residual /);
  const rows = (await console.get('/payouts?payoutType=voucher')).main.match(/href="\/payouts\/po_\d"/g);
  expect(new Set(rows).size).toBe(3);
  await readAll(db, 5, 'service_unavailable: listPayouts: no answer');
  const whileAway = await (await visit(testConsole(db).app, 'admin')).get(`/breaks/${id}`);
  expect(whileAway.text).toContain('once the service answers again, “tallyhook reconcile payouts --full”');
  await db('breaks').where({ id }).update({ status: 'resolved', resolved_at: new Date() });
  expect((await console.get(`/breaks/${id}`)).main).toContain('It is closed: nothing is to be done.');
});
