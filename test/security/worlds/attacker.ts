import type { Json, JsonObject } from '../../../src/domain/json.js';
import type { Random } from '../../reconcile/random.js';
import { note, recordsOf, type World, type WorldRecord } from './world.js';

/** Every word for a state that a kind of record has, and some that none has. */
const STATES = (
  'waiting_address_selection pending confirming completed expired unmatched cancelled ' +
  'draft sent paid approved broadcast confirmed failed under_review reversed'
).split(' ');
const DISPUTES = ['none', 'pending_decision', 'encashed', 'refunded', 'odd'];
const PAYOUT_TYPES = ['refund', 'withdrawal', 'internal_transfer', 'settlement', 'odd'];
const LINKS = ['paymentIntentId', 'invoiceId', 'irregularRefundPayoutId', 'payoutId', 'id'];
const AMOUNTS = ['amountRequested', 'amountCryptoExpected', 'totalAmountReceived', 'amountNetMerchant', 'amount'];
const WRAPPERS = { payment_intent: 'paymentIntent', payin: 'payin', invoice: 'invoice', payout: 'payout' } as const;
const KINDS = ['payment_intent', 'payin', 'invoice', 'payout'] as const;
/** Most come as they are, some from a clock that is ahead or behind as far as is accepted. */
const SKEWS = [0, 0, 0, 0, 59, 30, -250, -20];

interface Report {
  event: string;
  data: JsonObject;
}

/** Whoever holds the signing secret says something about this world, and knows all of its records. */
export async function attack(world: World): Promise<void> {
  const records = recordsOf(world);
  if (records.length === 0) return;
  const { random } = world;
  const skew = random.pick(SKEWS);
  for (const { event, data } of random.pick([one, one, one, one, lent, moved, lowered, cycle, copies])(
    world,
    records,
  )) {
    noteGivenBack(world, { event, data });
    note(world, `report ${event} (${skew} s) ${short(data)}`);
    await world.site.report(event, data, skew);
  }
}

/** Some record, real or not, with fields of others. */
function one({ random, orders }: World, records: WorldRecord[]): Report[] {
  const base = random.pick(records);
  const kind = random.below(5) === 0 ? random.pick(KINDS) : base.kind;
  const fields: Record<string, Json> = {
    ...(random.below(3) === 0 ? {} : base.fields),
    id: subject(random, base, records),
  };
  const status = random.pick(STATES);
  fields['status'] = status;
  for (let n = random.below(4); n > 0; n -= 1)
    change(fields, { random, records, references: orders.map((o) => o.reference) });
  const data = random.below(6) === 0 ? { [WRAPPERS[kind]]: fields } : fields;
  return [{ event: `${kind}.${status}`, data }];
}

function subject(random: Random, base: WorldRecord, records: WorldRecord[]): string {
  return random.pick([base.id, base.id, base.id, random.pick(records).id, invented(random)]);
}

function invented(random: Random): string {
  return `${random.pick(['pi', 'po', 'inv', 'payin'])}_evil${random.below(50)}`;
}

interface Pieces {
  random: Random;
  records: WorldRecord[];
  references: string[];
}

function change(fields: Record<string, Json>, { random, records, references }: Pieces): void {
  const other = random.pick(records);
  const changes: (() => void)[] = [
    () => (fields['merchantReference'] = random.pick([...references, null])),
    () => (fields[random.pick(LINKS)] = random.pick([other.id, other.id, invented(random), fields['id'] ?? null])),
    () => (fields['irregularStatus'] = random.pick(DISPUTES)),
    () => (fields[random.pick(AMOUNTS)] = String(random.pick([0, 1, 10, 100, 10_000]))),
    () => (fields['payoutType'] = random.pick(PAYOUT_TYPES)),
    () => (fields['payins'] = random.pick<Json>([[], [{ id: invented(random) }], other.fields['payins'] ?? []])),
    () => (fields['kytStatus'] = random.pick(['approved', 'rejected', 'pending', null])),
    () => (fields['amountRejected'] = null),
    () => (fields['currencyRequested'] = random.pick(['USD', 'USDT.TRC20', 'EUR'])),
    () => (fields['createdAt'] = new Date(Date.now() - random.pick([0, 3_600_000, -3_600_000])).toISOString()),
    () => void delete fields[random.pick(Object.keys(fields).filter((name) => name !== 'id'))],
  ];
  random.pick(changes)();
}

/** An invoice, real or not, lends a payment to an order: that of nobody, mostly. */
function lent({ random, orders, bait }: World, records: WorldRecord[]): Report[] {
  const payments = records.filter(({ kind }) => kind === 'payment_intent').map(({ id }) => id);
  const id = random.pick([...records.filter(({ kind }) => kind === 'invoice').map((one) => one.id), invented(random)]);
  const paymentIntentId = random.pick([bait ?? random.pick(payments), random.pick(payments)]);
  const { reference: merchantReference, amount, currency } = random.pick(orders);
  const asked = random.below(3) === 0 ? { amount, currency } : {};
  return [{ event: 'invoice.paid', data: { id, status: 'paid', merchantReference, paymentIntentId, ...asked } }];
}

/** A refund is said to be of another payment, of another kind, or to have failed. */
function moved({ random, orders }: World, records: WorldRecord[]): Report[] {
  const payouts = records.filter(({ kind }) => kind === 'payout');
  if (payouts.length === 0) return [];
  const { id, fields } = random.pick(payouts);
  const paymentIntentId = random.pick(records.filter(({ kind }) => kind === 'payment_intent')).id;
  const { reference: merchantReference } = random.pick(orders);
  const status = random.pick(['failed', 'failed', 'confirmed', 'pending']);
  const lies = [{ paymentIntentId }, { merchantReference, paymentIntentId }, { payoutType: 'withdrawal' }, {}];
  return [{ event: `payout.${status}`, data: { ...fields, id, ...random.pick<JsonObject>(lies), status } }];
}

/** What is asked for is said to be off, to be less, or to be paid. */
function lowered({ random }: World, records: WorldRecord[]): Report[] {
  const { kind, id, fields } = random.pick(
    records.filter((one) => one.kind === 'payment_intent' || one.kind === 'invoice'),
  );
  const status = random.pick(['cancelled', 'expired', kind === 'invoice' ? 'paid' : 'completed']);
  const received = fields['amountCryptoExpected'] ?? fields['amountRequested'] ?? null;
  const paid = {
    totalAmountReceived: received,
    amountInRange: received,
    amountRejected: null,
    irregularStatus: 'none',
  };
  const less = random.below(2) === 0 ? { amount: '1', amountRequested: '1' } : {};
  return [{ event: `${kind}.${status}`, data: { ...fields, id, ...paid, ...less, status } }];
}

/** Invoice, payment and payout lead to each other in a ring. */
function cycle({ random, orders }: World, records: WorldRecord[]): Report[] {
  const ids = [0, 1, 2].map(() => random.pick([random.pick(records).id, invented(random)]));
  const [invoice = '', payment = '', payout = ''] = ids;
  const { reference: merchantReference } = random.pick(orders);
  return [
    { event: 'invoice.paid', data: { id: invoice, status: 'paid', merchantReference, paymentIntentId: payment } },
    { event: 'payment_intent.completed', data: { id: payment, invoiceId: invoice, irregularRefundPayoutId: payout } },
    {
      event: 'payout.confirmed',
      data: { id: payout, status: 'confirmed', paymentIntentId: payment, invoiceId: invoice },
    },
  ];
}

/** A true event, again, as if it were of now. */
function copies({ random, past }: World): Report[] {
  const { kind, fields } = random.pick(past);
  return [{ event: `${kind}.${fields['status'] as string}`, data: fields }];
}

function noteGivenBack({ saidGivenBack }: World, { event, data }: Report): void {
  const text = JSON.stringify(data);
  if (!event.startsWith('payout.') && !/"po_|"(irregularRefundPayoutId|payoutId)":"/.test(text)) return;
  for (const [, name = ''] of text.matchAll(/"([\w-]+)"/g)) saidGivenBack.add(name);
}

const SHOWN = [
  'id',
  'status',
  'merchantReference',
  ...LINKS,
  'irregularStatus',
  'payoutType',
  'amount',
  'amountRequested',
];

function short(data: JsonObject): string {
  const inner = Object.values(data).length === 1 ? (Object.values(data)[0] as JsonObject) : data;
  const shown = Object.entries(inner ?? {}).filter(([name, value]) => SHOWN.includes(name) && value !== null);
  return shown.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
}
