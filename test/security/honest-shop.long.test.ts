import { afterEach, expect, test } from 'vitest';
import { DRILL_MS, isLong, report, until } from '../support/drill.js';
import { type Site, startSite } from '../support/site/site.js';

const ASSET = 'USDT.TRC20';
const ADDRESS = 'TXYZcustomerZrefundZaddressZ00001';
/** Payments that the service has from before. */
const HISTORY = isLong ? 20_000 : 500;
const ROUNDS = isLong ? 20 : 3;
/** From an event at the service until its order says so. */
const BOUND_MS = 15_000;

let site: Site;
afterEach(() => site?.close());

/** One order of the shop: what is done, until it is paid; answers the payment. */
type Course = (reference: string) => Promise<string> | string;

/** The widget's payment, whose first event brings the order its link. */
const widget: Course = (merchantReference) => {
  const { control } = site.sandbox;
  const id = control.createPayment({ amount: '100', currency: ASSET, merchantReference });
  control.pay(id);
  return id;
};

/** By our library in the shop's own process. */
const direct: Course = async (merchantReference) => {
  const body = { requestedCoin: ASSET, amount: '100', customer: { email: 'ann@example.com' }, merchantReference };
  const { data } = await site.shop.createDirectPayment(body);
  site.sandbox.control.pay(data.id);
  return data.id;
};

/** By another client. Its reference stands in its events alone, and its payment has none of its own. */
const foreignInvoice: Course = async (merchantReference) => {
  const { control } = site.sandbox;
  const customer = { customerEmail: 'ann@example.com', customerName: 'Ann' };
  const invoice = await site.call('/v1/invoices', { ...customer, amount: '100', currency: 'USD', merchantReference });
  const id = control.createPayment({ amount: '100', currency: 'USD', invoiceId: String(invoice['id']) });
  control.pay(id);
  return id;
};

const COURSES = { widget, direct, foreignInvoice };

test(`an honest shop in default settings, ${HISTORY} payments behind it: each order is safe, or held, within 15 s`, {
  timeout: DRILL_MS,
}, async () => {
  site = await startSite({ sandbox: { payments: HISTORY }, env: { SERVICE_RATE: '5/s' } });
  // The lists show no link that the specification does not name; the events, and so the history of deliveries, do.
  site.sandbox.control.setFaults({ links: true });
  site.lens.look((record, path) => {
    const { merchantReference: _reference, ...invoice } = record;
    const { paymentIntentId: _payment, ...payout } = record;
    if (path.startsWith('/v1/invoices')) return invoice;
    return path.startsWith('/v1/payouts') ? payout : record;
  });
  await firstReadings();

  const seconds: Record<string, number> = {};
  const note = (what: string, ms: number) => (seconds[what] = Math.max(seconds[what] ?? 0, ms / 1_000));
  for (let round = 1; round <= ROUNDS; round += 1) {
    await Promise.all(
      Object.entries(COURSES).map(async ([name, course]) => {
        const reference = `honest-${name}-${round}`;
        const asked = Date.now();
        const payment = await course(reference);
        const safe = await seen(reference, true);
        note(`${name} safe`, safe.at - asked);
        const refunded = Date.now();
        await site.shop.createRefund({ paymentIntentId: payment, destinationAddress: ADDRESS, amount: '40' });
        note(`${name} held`, (await seen(reference, false, safe.place)).at - refunded);
      }),
    );
  }
  report('honest-shop', { history: HISTORY, orders: 3 * ROUNDS, ...seconds });
  expect(Object.entries(seconds).filter(([, took]) => took > BOUND_MS / 1_000)).toEqual([]);
});

/** When the order's release became so after that place of the feed; by the feed, and not by when somebody asked. */
async function seen(reference: string, safe: boolean, after = -1): Promise<{ at: number; place: number }> {
  const find = () => site.feed.of(reference).findIndex((change, place) => place > after && change.safe === safe);
  const what = `${reference} is ${safe ? 'safe' : 'held'}`;
  await until(what, () => find() >= 0 || site.feed.of(reference), { timeoutMs: 2 * BOUND_MS });
  return { at: site.feed.of(reference)[find()]?.at ?? Number.POSITIVE_INFINITY, place: find() };
}

/** What there was before has been read: from then on the shop is at its work. */
async function firstReadings(): Promise<void> {
  await until('every list was read once', async () => {
    for (const kind of ['payment-intents', 'invoices', 'payouts', 'deliveries']) {
      const page = await site.api.get<{ items: { status: string }[] }>(`runs?kind=${kind}&status=succeeded&take=1`);
      if (page?.items.length !== 1) return kind;
    }
    return true;
  });
}
