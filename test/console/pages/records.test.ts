import request from 'supertest';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pages } from '../../../src/console/pages/pages.js';
import { listAttributions } from '../../../src/records/balances/balance-views.js';
import { openBreaks } from '../../../src/records/breaks/breaks.js';
import { bearer, testConsole } from '../../support/console.js';
import { recordPaths } from '../../support/console-records.js';
import { seedConsole } from '../../support/console-samples.js';
import { type Reader, type Shown, visit } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';

const store = useDatabase();
let api: ReturnType<typeof testConsole>['app'];
let readers: Record<string, Reader>;

beforeAll(async () => {
  await seedConsole(store.db);
  const { app } = testConsole(store.db);
  api = app;
  const roles = ['viewer', 'operator', 'finance'];
  readers = Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await visit(app, role)] as const)));
});

const reader = (role: string): Reader => readers[role]!;
const shown = (role: string, path: string): Promise<Shown> => reader(role).get(path);
const textOf = async (role: string, path: string): Promise<string> => (await shown(role, path)).text;

describe('the page of a record', () => {
  it('shows a payment whole: amounts with their units, dispute, order, payins with their screening, breaks', async () => {
    const page = await shown('operator', '/payments/pi_full');
    for (const part of [
      'dispute: pending decision',
      'verified',
      '19.9 EUR',
      '21.285 USDT.TRON',
      'order-full',
      'ann@example.com',
      'in_1',
      'approved',
      'not read yet',
      'inv_1',
      'run 1',
    ]) {
      expect(page.text).toContain(part);
    }
    const payin = await shown('operator', page.link('in_1'));
    expect(payin.text).toContain('Risk score');
    expect((await shown('operator', payin.link('order-full'))).heading).toContain('order-full');
  });

  it('says what a webhook alone reports, and links it: no order, no state of its own', async () => {
    const page = await shown('operator', '/payments/pi_claimed');
    for (const part of ['Reported, not verified yet', 'reported: completed', 'Only reported', 'Order unlinked']) {
      expect(page.text).toContain(part);
    }
    expect(page.link('event 1')).toBe('/events/1');
    expect(page.badges).not.toContain('completed');
  });

  it('shows a newer report apart from what the service showed: without its colours, and no address to be copied', async () => {
    const page = await shown('operator', '/payments/pi_reported');
    expect(page.text).toContain('A webhook says otherwise than the service’s list');
    expect(page.badges).toEqual(expect.arrayContaining(['pending', 'verified', 'newer report']));
    expect(page.badges).not.toContain('completed');
    const panel = page.panel('Only reported');
    const reported = panel.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
    for (const part of ['Status completed', 'TForgedForged', 'Metadata', 'Never pay to an address that stands here']) {
      expect(reported).toContain(part);
    }
    expect(reported).not.toContain('Requested');
    expect(panel).not.toMatch(/class="id"|<button/);
    expect(page.main.replace(panel, '')).not.toContain('TForgedForged');
    expect(page.text).toContain('reported.status completed');
  });

  it('shows a payout that nothing links as unlinked, and makes no address of what is none', async () => {
    const { main, text } = await shown('operator', recordPaths['/payouts/:id'] ?? '');
    expect(text).toContain('unlinked');
    expect(text).toContain('Not linked: nothing the service shows says which payment it belongs to');
    expect(main).not.toMatch(/<a [^>]*href="javascript|<img/i);
  });

  it('masks for viewers whoever paid or holds an account', async () => {
    for (const path of ['/payments/pi_full', '/invoices/inv_1', '/accounts', '/accounts/acc_1']) {
      const seen = await textOf('viewer', path);
      expect(seen).not.toMatch(/ann@example\.com|Ann Example/);
      expect(seen).toContain('[masked]');
    }
  });

  it('is found by its id, narrowed by the filters of the read API, and by no other', async () => {
    expect(await textOf('viewer', '/payments?id=pi_2')).toContain('order-2');
    expect(await textOf('viewer', '/payments?irregularStatus=pending_decision')).not.toContain('pi_2');
    expect(await textOf('viewer', '/transactions?accountId=nobody')).toContain('No transaction fits');
    expect((await shown('viewer', '/accounts?label=Ann')).status).toBe(400);
  });
});

it('a break of a settlement leads to where the settlement is marked; one of a payout to the payout', async () => {
  const entity = { kind: 'payout', id: 'po_settled' } as const;
  const kinds = ['settlement_late', 'payout_stuck'] as const;
  const found = kinds.map((kind) => ({ kind, entity, evidence: {} }));
  await store.db.transaction((trx) => openBreaks(trx, found));
  const ids = store.db('breaks').where({ entity_id: entity.id }).whereIn('kind', kinds);
  const [late, stuck] = await ids.orderBy('kind', 'desc').pluck('id');
  expect((await shown('viewer', `/breaks/${late}`)).link('po_settled')).toBe('/settlements/po_settled');
  expect((await shown('viewer', `/breaks/${stuck}`)).link('po_settled')).toBe('/payouts/po_settled');
  expect((await shown('viewer', '/breaks?kind=settlement_late')).link('po_settled')).toBe('/settlements/po_settled');
});

it('a settlement that arrived whole is marked so: no difference is chosen for it', async () => {
  const { get, press } = reader('finance');
  const page = await get('/settlements/po_settled');
  expect(page.form('Mark as arrived').fields).toMatchObject({ difference: '' });
  expect(page.main).toContain('type="date" name="on"');
  const expected = /([\d.]+) USD/.exec(page.text)?.[1] ?? '';
  const after = await press(
    await press(page, 'Mark as arrived', { amount: expected, reason: 'the statement' }),
    'Mark as arrived',
  );
  expect(after.flash).toContain(expected);
  expect((await get('/settlements/po_settled')).badges).toContain('arrived');
});

describe('every kind of record', () => {
  it('has a list that leads to its page', () => {
    const own = pages.map(({ path }) => path).filter((path) => path in recordPaths);
    expect(own.toSorted()).toEqual(Object.keys(recordPaths).toSorted());
  });
});

describe('the open part of a balance', () => {
  it('is not to be attributed while a record of it can’t be read', async () => {
    const proof = store.db('balance_proofs').where({ asset_code: 'USDT.TRON' });
    const unproven = 'payout po_1: payoutType "voucher" is on no list';
    await proof.clone().update({ unproven });
    onTestFinished(async () => void (await proof.clone().update({ unproven: null })));
    const { text } = await shown('finance', '/balances/USDT.TRON');
    expect(text).toContain(`It is not proven now: ${unproven}. A record may account for it`);
    expect(text).not.toContain('then attribute it');
  });

  it('is attributed by finance, in parts, after it is shown what that leaves; by nobody else', async () => {
    for (const role of ['viewer', 'operator']) {
      const { text } = await shown(role, '/balances/USDT.TRON');
      expect(text).toContain('-44 USDT.TRON are unexplained');
      expect(text).not.toContain('Attribute…');
    }
    const { get, press } = reader('finance');
    const first = await get('/balances/USDT.TRON');
    expect(first.badges.slice(0, 2)).toEqual(['unexplained', 'critical']);
    expect(first.text).toMatch(/it appeared between \S+ \S+ UTC and the poll of \S+ \S+ UTC/);
    const today = new Date().toISOString().slice(0, 10);
    expect(first.form('Attribute').fields).toMatchObject({ amount: '-44', on: today });
    const fill = async (amount: string) =>
      press(await get('/balances/USDT.TRON'), 'Attribute', { amount, reason: 'the settlement of 3 November' });
    const refused = await fill('-45');
    expect([refused.status, refused.flash]).toEqual([409, expect.stringContaining('This would be refused.')]);
    // What is wrong stands beside its field, and what was given is kept.
    const wrong = await press(refused, 'Attribute', { amount: '-40,50', on: '3 November', reason: 'the settlement' });
    expect(wrong.status).toBe(400);
    for (const told of ['Takes a signed decimal number', 'Takes a day such as']) expect(wrong.text).toContain(told);
    expect(wrong.form('Attribute').fields).toMatchObject({ amount: '-40,50', on: '3 November' });
    expect(wrong.main).toContain('>the settlement</textarea>');
    expect(wrong.link('Back')).toBe('/balances/USDT.TRON');
    const preview = await press(wrong, 'Attribute', {
      amount: '-40.50',
      on: today,
      reason: 'the settlement of 3 November',
    });
    expect(preview.text).toContain('After it -3.5 USDT.TRON are unexplained');
    expect(await listAttributions(store.db, 'USDT.TRON')).toEqual([]);
    expect(await store.db('actions').where({ action: 'attribute balance' })).toEqual([]);
    const after = await press(preview, 'Attribute');
    expect(after.flash).toContain('-40.5 USDT.TRON were attributed');
    expect(after.path).toBe('/balances/USDT.TRON');
    expect(after.text).toContain('the settlement of 3 November');
    expect(await listAttributions(store.db, 'USDT.TRON')).toMatchObject([{ amount: '-40.5', actor: 'fina' }]);
    const kept = await store.db('actions').where({ action: 'attribute balance' });
    expect(kept).toMatchObject([{ actor: 'fina', outcome: 'done', reason: 'the settlement of 3 November' }]);
  });

  it('is rebooked beside what was attributed, on the day on which that stands, after both are shown', async () => {
    const { get, press } = reader('finance');
    const contra = 'equity:conversion';
    const page = await get('/balances/USDT.TRON');
    const preview = await press(page, 'Rebook', { contra, reason: 'it went to the bank' });
    expect(preview.text).toContain('Correction: assets:operating credit 40.5 USDT.TRON; equity:conversion debit 40.5');
    const after = await press(preview, 'Rebook');
    expect(after.flash).toMatch(/^Attribution \d+ stands on equity:conversion now\.$/);
    expect(after.text).toContain('on equity:unobservable: it went to the bank (fina)');
    const twice = await press(page, 'Rebook', { contra: 'equity:deposits', reason: 'again' });
    expect(twice.text).toContain('stands on equity:conversion, not on equity:unobservable');
    expect((await shown('viewer', '/balances/USDT.TRON')).text).not.toContain('Wrong account?');
  });
});

describe('the read API', () => {
  it('and the pages know the same filters', async () => {
    const answer = await request(api)
      .get('/api/v1/payment-intents?irregularStatus=pending_decision')
      .set(bearer('viewer'));
    expect(answer.body.items).toHaveLength(1);
  });
});
