import { describe, expect, it } from 'vitest';
import { OTHER, openInbox, openSandbox, type Row, rowsOf, type TestSandbox } from './support.js';

const GOOD = { customerEmail: 'ann@example.com', customerName: 'Ann', amount: '30.10', currency: 'EUR' };

const create = (sandbox: TestSandbox, change: Record<string, unknown> = {}) =>
  sandbox.call('POST', '/v1/invoices', { ...GOOD, ...change });

const item = (quantity: unknown, unitPrice: unknown) => ({ name: 'tea', quantity, unitPrice, description: 'green' });

describe('POST /v1/invoices', () => {
  it('creates and sends it; the result of the e-mail stands in this answer alone', async () => {
    const sandbox = await openSandbox();
    const { status, body } = await create(sandbox, { description: 'Tea', merchantReference: 'o-1' });
    expect(status).toBe(201);
    const fields =
      'id customerEmail customerName amount currency assetCode description status paymentIntentId expiresAt createdAt paymentLink';
    expect(Object.keys(body)).toEqual([...fields.split(' '), 'emailDelivery', 'meta']);
    expect(body).toMatchObject({
      amount: '30.1',
      status: 'sent',
      paymentIntentId: null,
      expiresAt: null,
      emailDelivery: { sent: true },
      paymentLink: expect.stringContaining(body.id),
    });
    const { body: rows } = await sandbox.call<Row[]>('GET', '/v1/invoices');
    expect(rows).toHaveLength(1);
    expect(rows[0]).not.toHaveProperty('emailDelivery');
  });

  it('that can not be mailed stays a draft and says why', async () => {
    const sandbox = await openSandbox();
    const { body } = await create(sandbox, { customerEmail: 'ann@nowhere.invalid' });
    expect(body).toMatchObject({ status: 'draft', emailDelivery: { sent: false, error: expect.any(String) } });
  });

  it('gives meta back as it came, to the last digit', async () => {
    const sandbox = await openSandbox();
    const meta =
      '{"notes":"n","free":12345678901234567890.10,"items":[{"name":"a","quantity":2,"unitPrice":"15.05","sku":1.0}]}';
    const text = JSON.stringify(GOOD).replace(/}$/, `,"meta":${meta}}`);
    expect((await sandbox.call('POST', '/v1/invoices', text)).status).toBe(201);
    const answer = await fetch(`${sandbox.url}/v1/invoices`, { headers: { authorization: 'Bearer sandbox-api-key' } });
    expect(await answer.text()).toContain(`"meta":${meta}`);
  });

  it.each([
    [[item(2, '15.05')], 201],
    [[item(1, '0.1'), item(3, '10')], 201],
    [[item(301, '0.1')], 201],
    [[item(3, '10.033333333333333333')], 400],
    [[item(2, '15.050000000000000001')], 400],
    [[item(2, '15.04')], 400],
    [[], 400],
    [[item(2.5, '12.04')], 400],
    [[item('2', '15.05')], 400],
    [[item(2, 15.05)], 400],
    [[item(-2, '15.05')], 400],
    [[item(0, '15.05'), item(2, '15.05')], 400],
    [[{ quantity: 2, unitPrice: '15.05' }], 400],
  ])('adds items up exactly: %j → %i', async (items, status) => {
    const sandbox = await openSandbox();
    expect((await create(sandbox, { meta: { items } })).status).toBe(status);
  });

  it.each([
    ['crypto as currency', { currency: 'BTC' }, 'CURRENCY_NOT_ACTIVE'],
    ['a currency that is not active', { currency: 'ARS' }, 'CURRENCY_NOT_ACTIVE'],
    ['a currency in small letters', { currency: 'eur' }, 'CURRENCY_NOT_ACTIVE'],
    ['no currency', { currency: undefined }, 'VALIDATION_ERROR'],
    ['no e-mail', { customerEmail: undefined }, 'VALIDATION_ERROR'],
    ['what is no e-mail', { customerEmail: 'ann' }, 'VALIDATION_ERROR'],
    ['a time that is none', { expiresAt: 'soon' }, 'VALIDATION_ERROR'],
    ['a day that the calendar lacks', { expiresAt: '2099-02-30T00:00:00Z' }, 'VALIDATION_ERROR'],
    ['a time that is past', { expiresAt: '2020-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
    ['an amount of zero', { amount: '0' }, 'VALIDATION_ERROR'],
    ['an amount that is a number', { amount: 30.1 }, 'VALIDATION_ERROR'],
    ['an unknown asset', { assetCode: 'DOGE' }, 'ASSET_NOT_SUPPORTED'],
    ['meta that is no object', { meta: [1] }, 'VALIDATION_ERROR'],
    ['notes that are no text', { meta: { notes: 1 } }, 'VALIDATION_ERROR'],
    [
      'a settlement to nowhere',
      { autoSettlement: { enabled: true, settlementAccountAddress: 'x' } },
      'AUTO_SETTLEMENT_DESTINATION_UNUSABLE',
    ],
    ['a settlement that is none', { autoSettlement: { enabled: 'yes' } }, 'AUTO_SETTLEMENT_INVALID'],
  ])('refuses %s', async (_, change, code) => {
    const sandbox = await openSandbox();
    const { status, body } = await create(sandbox, change);
    expect([status, body.code]).toEqual([400, code]);
    expect((await sandbox.call<Row[]>('GET', '/v1/invoices')).body).toEqual([]);
  });
});

describe('an invoice', () => {
  const start = async (change: Record<string, unknown> = {}) => {
    const sandbox = await openSandbox();
    const { id } = (await create(sandbox, change)).body;
    const act = (step: string, body: unknown = {}) => sandbox.call('POST', `/sandbox/invoices/${id}/${step}`, body);
    const show = async (): Promise<Row> =>
      (await sandbox.call<Row[]>('GET', '/v1/invoices')).body.find((row) => row.id === id) ?? { id: 'missing' };
    return { sandbox, id, act, show };
  };

  it('paid names the payment that paid it, which names the invoice', async () => {
    const { sandbox, id, act, show } = await start({ merchantReference: 'o-7' });
    const inbox = await openInbox();
    sandbox.control.addEndpoint({ url: inbox.url, events: ['invoice.paid', 'payment_intent.completed'] });
    expect((await act('pay', { assetCode: 'USDT.TRC20' })).body.status).toBe('paid');
    const row = await show();
    const [intent] = await sandbox.list(`invoiceId=${id}`);
    expect(intent).toMatchObject({
      id: row.paymentIntentId,
      status: 'completed',
      source: 'invoice',
      merchantReference: 'o-7',
      amountRequested: '30.1',
      currencyRequested: 'EUR',
    });
    await sandbox.control.deliveriesIdle();
    expect(inbox.arrivals.map(({ event }) => event).sort()).toEqual(['invoice.paid', 'payment_intent.completed']);
    for (const step of ['pay', 'cancel', 'send', 'open']) expect((await act(step)).status).toBe(409);
  });

  it('is not paid by too little', async () => {
    const { act, show } = await start();
    await act('pay', { assetCode: 'USDT.TRC20', amount: '1' });
    expect(await show()).toMatchObject({ status: 'sent', paymentIntentId: null });
  });

  it('expires at its time, and is paid all the same by a payment that was on its way', async () => {
    const sandbox = await openSandbox({ confirmationSeconds: 10 });
    const expiresAt = new Date(sandbox.control.now() + 60_000).toISOString();
    const [lazy, late] = [(await create(sandbox, { expiresAt })).body, (await create(sandbox, { expiresAt })).body];
    sandbox.control.advance(50);
    await sandbox.call('POST', `/sandbox/invoices/${late.id}/pay`, { assetCode: 'USDT.TRC20' });
    const states = async (): Promise<unknown[]> => {
      const { body } = await sandbox.call<Row[]>('GET', '/v1/invoices');
      return [lazy, late].map(({ id }) => body.find((row) => row.id === id)?.status);
    };
    expect(await states()).toEqual(['sent', 'sent']);
    sandbox.control.advance(11);
    expect(await states()).toEqual(['expired', 'expired']);
    sandbox.control.advance(60);
    expect(await states()).toEqual(['expired', 'paid']);
  });

  it('expired takes its unpaid payment with it: what comes later is up for a decision', async () => {
    const sandbox = await openSandbox();
    const expiresAt = new Date(sandbox.control.now() + 60_000).toISOString();
    const { id } = (await create(sandbox, { expiresAt })).body;
    const opened = (await sandbox.call('POST', `/sandbox/invoices/${id}/open`)).body;
    sandbox.control.advance(61);
    expect(sandbox.control.paymentIntent(opened.id)?.['status']).toBe('expired');
    sandbox.control.pay(opened.id);
    const { body } = await sandbox.call<Row[]>('GET', '/v1/invoices?status=expired');
    expect(body.map((row) => row.id)).toEqual([id]);
    expect(sandbox.control.paymentIntent(opened.id)).toMatchObject({
      status: 'unmatched',
      irregularStatus: 'pending_decision',
    });
  });

  it('whose payment was given back can be paid anew', async () => {
    const { sandbox, id, act, show } = await start();
    await act('pay', { assetCode: 'USDT.TRC20', amount: '5' });
    const [short] = await sandbox.list(`invoiceId=${id}`);
    sandbox.control.decide(String(short?.id), 'refund');
    expect((await act('pay', { assetCode: 'USDT.TRC20' })).status).toBe(200);
    const row = await show();
    expect(row.status).toBe('paid');
    expect(row.paymentIntentId).not.toBe(short?.id);
  });

  it('cancelled takes its unpaid payment with it', async () => {
    const { sandbox, id, act, show } = await start();
    await act('open');
    await act('cancel');
    expect((await show()).status).toBe('cancelled');
    expect((await sandbox.list(`invoiceId=${id}`)).map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('drafted in the dashboard is sent from there', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.call('POST', '/sandbox/invoices', GOOD);
    expect(body.status).toBe('draft');
    const sent = await sandbox.call('POST', `/sandbox/invoices/${body.id}/send`);
    expect(sent.body).toMatchObject({ status: 'sent', emailDelivery: { sent: true } });
    expect((await sandbox.call('POST', '/sandbox/invoices/inv_none/send')).status).toBe(404);
  });
});

describe('GET /v1/invoices', () => {
  it('is newest first, by state, by a part of the reference whatever its case, in pages', async () => {
    const sandbox = await openSandbox();
    const ids: string[] = [];
    for (const merchantReference of ['ord-1', 'ORD-10', 'other']) {
      ids.push((await create(sandbox, { merchantReference })).body.id);
    }
    await sandbox.call('POST', `/sandbox/invoices/${ids[0]}/cancel`);
    const list = async (query: string): Promise<number[]> =>
      (await sandbox.call<Row[]>('GET', `/v1/invoices?${query}`)).body.map(({ id }) => ids.indexOf(id));
    expect(await list('')).toEqual([2, 1, 0]);
    expect(await list('merchantReference=Ord-1')).toEqual([1, 0]);
    expect(await list('merchantReference=ord-1&status=sent')).toEqual([1]);
    expect(await list(`take=1&cursor=${ids[2]}`)).toEqual([1]);
    expect((await sandbox.call('GET', '/v1/invoices?status=lost')).status).toBe(400);
    expect((await sandbox.call<Row[]>('GET', '/v1/invoices', undefined, OTHER)).body).toEqual([]);
    sandbox.control.setFaults({ names: { invoices: { merchantReference: 'ref' } }, links: true });
    expect(await list('ref=other')).toEqual([2]);
    const { body } = await sandbox.call<Row[]>('GET', '/v1/invoices?ref=other');
    expect(body[0]?.merchantReference).toBe('other');
  });

  it.each([
    ['20 rows unless asked otherwise', '', 20],
    ['up to 100', 'take=100', 25],
    ['one at least', 'take=1', 1],
  ])('answers %s', async (_, query, count) => {
    const sandbox = await openSandbox();
    for (let n = 0; n < 25; n += 1) await create(sandbox);
    expect(rowsOf({ id: '', rows: (await sandbox.call('GET', `/v1/invoices?${query}`)).body }, 'rows')).toHaveLength(
      count,
    );
  });

  it.each(['take=0', 'take=101', 'take=x', 'take=-1'])('refuses %s', async (query) => {
    const sandbox = await openSandbox();
    expect((await sandbox.call('GET', `/v1/invoices?${query}`)).status).toBe(400);
  });
});
