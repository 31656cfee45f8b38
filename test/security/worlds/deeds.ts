import type { PayoutStep } from '../../../src/sandbox/payouts/advance-payout.js';
import { SESSION } from '../../support/site/site.js';
import type { InvoiceTruth } from './truth.js';
import { deed, type World, type WorldOrder, withLinks } from './world.js';

const ADDRESS = 'TXYZcustomerZrefundZaddressZ00001';
const CUSTOMER = { customerEmail: 'ann@example.com', customerName: 'Ann' };

/** One thing that is done at the service or in the shop. */
type Deed = () => Promise<void>;

/** How an order is asked for and paid. The first of each world goes well in every way. */
export function beginningOf(world: World, order: WorldOrder, isFirst: boolean): Deed[] {
  const { random } = world;
  const ask = random.pick([widget, direct, invoice, bareInvoice, registered]);
  const extra = isFirst ? bait : random.pick([nothing, nothing, nothing, largerRequest, foreignInvoice]);
  const pay = isFirst ? exactly : random.pick([exactly, exactly, exactly, under, over, rejected, nothing, nothing]);
  return [() => ask(world, order), () => extra(world, order), () => pay(world, order)];
}

/** What becomes of an order that was paid. */
export function endingOf(world: World, order: WorldOrder, isFirst: boolean): Deed[] {
  if (isFirst || order.payment === null || !isCollected(world, order.payment)) return [];
  const ending = world.random.pick(ENDINGS);
  return [() => ending(world, order)];
}

const ENDINGS = [nothing, dispute, encash, disputeRefund, refund, refund, refund, failedRefund, twice];

function isCollected({ site }: World, id: string): boolean {
  const payment = site.sandbox.control.paymentIntent(id);
  return payment?.['status'] === 'completed' && payment['irregularStatus'] === 'none';
}

async function nothing(): Promise<void> {}

async function widget(world: World, order: WorldOrder): Promise<void> {
  order.payment = await deed(world, `the shop asks for ${order.reference}`, () => request(world, order));
}

function request(world: World, { reference, amount, currency }: WorldOrder, more: object = {}): string {
  const given = { amount, currency, merchantReference: reference, customerRefundAddress: ADDRESS, ...more };
  const id = world.site.sandbox.control.createPayment(given);
  world.payments.add(id);
  return id;
}

async function direct(world: World, order: WorldOrder): Promise<void> {
  const { reference: merchantReference, amount, currency } = order;
  const inFiat = currency === 'USD' ? { requestedCurrencyType: 'fiat' as const, currencyRequested: currency } : {};
  const customer = { email: CUSTOMER.customerEmail, refundAddress: ADDRESS };
  const body = { requestedCoin: 'USDT.TRC20', amount, customer, merchantReference, ...inFiat };
  order.payment = await deed(world, `our library asks for ${merchantReference}`, async () => {
    const { data } = await world.site.shop.createDirectPayment(body);
    world.payments.add(data.id);
    return data.id;
  });
}

async function madeInvoice(world: World, order: WorldOrder): Promise<string> {
  order.currency = 'USD';
  const { reference: merchantReference, amount, currency } = order;
  return deed(world, `our library makes an invoice for ${merchantReference}`, async () => {
    const { data } = await world.site.shop.createInvoice({ ...CUSTOMER, amount, currency, merchantReference });
    world.invoices.set(data.id, { id: data.id, status: 'sent', amount, currency } satisfies InvoiceTruth);
    order.invoices.push(data.id);
    return data.id;
  });
}

async function invoice(world: World, order: WorldOrder): Promise<void> {
  const id = await madeInvoice(world, order);
  order.payment = await deed(world, `the customer opens ${id}`, async () => {
    const payment = (await world.site.call(`/sandbox/invoices/${id}/open`, {}))['id'] as string;
    world.payments.add(payment);
    return payment;
  });
}

/** Nothing but the invoice that it names says whose payment it is. */
async function bareInvoice(world: World, order: WorldOrder): Promise<void> {
  const invoiceId = await madeInvoice(world, order);
  const what = `a payment without a reference is asked for by ${invoiceId}`;
  order.payment = await deed(world, what, () => request(world, order, { invoiceId, merchantReference: undefined }));
}

async function registered(world: World, order: WorldOrder): Promise<void> {
  const { reference, amount, currency } = order;
  await deed(world, `the shop registers ${reference} with ${amount} ${currency}`, async () => {
    await world.site.api.send('PUT', `orders/${reference}`, { amount, currency });
    order.expected = { amount, currency };
  });
  await widget(world, order);
}

async function largerRequest(world: World, order: WorldOrder): Promise<void> {
  const what = `a second, larger request for ${order.reference}`;
  await deed(world, what, () => request(world, order, { amount: String(Number(order.amount) * 3) }));
}

/** Money that is nobody's: what an attacker would like to lend. */
async function bait(world: World): Promise<void> {
  const { amount, currency } = world.random.pick(world.orders);
  const what = `a payment of ${amount} ${currency} without a reference is made and paid`;
  world.bait = await deed(world, what, () => {
    const id = world.site.sandbox.control.createPayment({ amount, currency });
    world.payments.add(id);
    world.site.sandbox.control.pay(id);
    return id;
  });
}

/** A payment under another order's reference that names an invoice of this one. */
async function foreignInvoice(world: World, order: WorldOrder): Promise<void> {
  const other = world.orders.find((one) => one !== order && one.payment === null);
  const [invoiceId] = order.invoices;
  if (other === undefined || invoiceId === undefined) return;
  other.currency = order.currency;
  other.amount = order.amount;
  const what = `${other.reference} is asked for by an invoice of ${order.reference}`;
  other.payment = await deed(world, what, () => request(world, other, { invoiceId }));
}

const exactly = (world: World, order: WorldOrder) => paid(world, order, 100);
const under = (world: World, order: WorldOrder) => paid(world, order, 50);
const over = (world: World, order: WorldOrder) => paid(world, order, 150);

async function paid(world: World, { payment }: WorldOrder, percent: number): Promise<void> {
  if (payment === null) return;
  await deed(
    world,
    `${payment} is paid, ${percent} %`,
    () => void world.site.sandbox.control.pay(payment, { percent }),
  );
}

async function rejected(world: World, { payment }: WorldOrder): Promise<void> {
  if (payment === null) return;
  const { control } = world.site.sandbox;
  await deed(world, `${payment} is paid, and the screening rejects it`, () => {
    control.setFaults({ payoutsList: world.withList, kytRejected: 1 });
    world.screened.set(control.pay(payment), 'rejected');
    control.setFaults({ payoutsList: world.withList });
  });
}

async function twice(world: World, order: WorldOrder): Promise<void> {
  await deed(world, `${order.reference} is paid a second time`, () => {
    world.site.sandbox.control.pay(request(world, order));
  });
}

async function dispute(world: World, { payment }: WorldOrder): Promise<void> {
  await deed(world, `a dispute about ${payment}`, () => world.site.sandbox.control.dispute(payment!));
}

async function encash(world: World, order: WorldOrder): Promise<void> {
  await dispute(world, order);
  await deed(world, 'which ends well', () => world.site.sandbox.control.decide(order.payment!, 'encash'));
}

async function disputeRefund(world: World, order: WorldOrder): Promise<void> {
  const { control } = world.site.sandbox;
  await dispute(world, order);
  await deed(world, 'which ends with a refund', () => {
    control.decide(order.payment!, 'refund');
    world.payouts.add(String(control.paymentIntent(order.payment!)?.['irregularRefundPayoutId']));
  });
}

async function refund(world: World, order: WorldOrder): Promise<void> {
  const { id, isSeen } = await refunded(world, order);
  const steps: PayoutStep[] = [{ step: 'approve' }, { step: 'broadcast' }, { step: 'confirm' }];
  const last = Math.max(world.random.below(4), isSeen ? 0 : 1);
  for (const [place, step] of steps.slice(0, last).entries()) await advanced(world, id, step, place > 0 || isSeen);
}

async function failedRefund(world: World, order: WorldOrder): Promise<void> {
  const { id } = await refunded(world, order);
  await advanced(world, id, { step: 'fail' });
}

/**
 * By our library, at the dashboard, or by another client; all or a part. `isSeen`: not its events alone say whose it is. Nobody
 * knows that of a refund that names no reference, or that no list shows, until an event links it (docs/security.md).
 */
async function refunded(world: World, { payment, amount }: WorldOrder): Promise<{ id: string; isSeen: boolean }> {
  const { random, site } = world;
  const who = random.pick(['our library', 'the dashboard', 'another client']);
  const part = random.below(2) === 0 ? { amount: String(Number(amount) / 4) } : {};
  const body = { paymentIntentId: payment!, destinationAddress: ADDRESS, ...part };
  const id = await deed(world, `${who} refunds ${payment} ${part.amount ?? 'wholly'}`, async () => {
    const made =
      who === 'our library' ? (await site.shop.createRefund(body)).data.id : await refundedBy(world, who, body);
    world.payouts.add(made);
    return made;
  });
  const isNamed = (site.sandbox.control.paymentIntent(payment!)?.['merchantReference'] ?? null) !== null;
  return { id, isSeen: who === 'our library' || (world.withList && isNamed) };
}

async function refundedBy({ site }: World, who: string, body: object): Promise<string> {
  const atDashboard = who === 'the dashboard';
  const totp = atDashboard ? { totpCode: SESSION.totpCode } : {};
  const answer = await site.call('/v1/payouts/refund', { ...body, ...totp }, atDashboard ? SESSION.token : undefined);
  return answer['id'] as string;
}

/** Its event names the payment, or not. */
async function advanced(world: World, payout: string, step: PayoutStep, mayOmit = true): Promise<void> {
  const { control } = world.site.sandbox;
  const act = () => control.advancePayout(payout, step);
  const omits = world.random.below(2) === 0 && mayOmit;
  await deed(world, `${payout}: ${step.step}`, () => (omits ? act() : withLinks(world, act)));
}
