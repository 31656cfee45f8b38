import type { JsonObject } from '../../../src/domain/json.js';
import { Random } from '../../reconcile/random.js';
import type { Site } from '../../support/site/site.js';
import type { Moment } from './timeline.js';
import { type InvoiceTruth, judgeOrder, type PaymentTruth, type PayoutTruth, type ServiceTruth } from './truth.js';

/** An order of the shop, and what is true of it from deed to deed. */
export interface WorldOrder {
  reference: string;
  amount: string;
  currency: string;
  expected: { amount: string; currency: string } | null;
  /** Made by the shop for this order. */
  invoices: string[];
  /** Its payment; null until it was asked for. */
  payment: string | null;
  moments: Moment[];
}

/** Something that was done or said, for whoever reads of a failure. */
interface Line {
  at: number;
  text: string;
}

/** A record of this world, as the service shows it. */
export interface WorldRecord {
  kind: 'payment_intent' | 'payin' | 'invoice' | 'payout';
  id: string;
  fields: JsonObject;
}

/** A few orders of one seed, with everything at the service that has to do with them. */
export interface World {
  seed: number;
  /** With the list of payouts; the rest of the faults are as they are by default. */
  withList: boolean;
  random: Random;
  site: Site;
  orders: WorldOrder[];
  payments: Set<string>;
  /** Paid, and of no order. */
  bait: string | null;
  payouts: Set<string>;
  invoices: Map<string, InvoiceTruth>;
  /** What the screening of a payin said, where it was not `approved`. */
  screened: Map<string, string>;
  lines: Line[];
  /** Records as they were after each deed: what events reported, once. */
  past: WorldRecord[];
  /** Ids and references in reports of payouts: without a list of payouts only a person can refute those. */
  saidGivenBack: Set<string>;
}

const ORDERS = 4;
/** Seeds that follow each other have nothing in common. */
const SCATTER = 0x9e3779b1;

export function createWorld(site: Site, seed: number, withList: boolean): World {
  const random = new Random(Math.imul(seed, SCATTER));
  const orders = Array.from({ length: ORDERS }, (_, n): WorldOrder => {
    const currency = random.pick(['USDT.TRC20', 'USD']);
    const amount = String(20 * (1 + random.below(10)));
    return {
      reference: `w${seed}-${'abcd'[n]}`,
      amount,
      currency,
      expected: null,
      invoices: [],
      payment: null,
      moments: [],
    };
  });
  return {
    seed,
    withList,
    random,
    site,
    orders,
    payments: new Set(),
    bait: null,
    payouts: new Set(),
    invoices: new Map(),
    screened: new Map(),
    lines: [],
    past: [],
    saidGivenBack: new Set(),
  };
}

export function note(world: World, text: string): void {
  world.lines.push({ at: Date.now(), text });
}

/** Something happens at the service, or in the shop; what is true of each order is noted before and after. */
export async function deed<T>(world: World, text: string, act: () => T | Promise<T>): Promise<T> {
  const from = Date.now();
  const outcome = await act();
  const service = serviceTruth(world);
  const done = Date.now();
  for (const order of world.orders) order.moments.push({ from, done, verdict: judgeOrder(order, service) });
  world.past.push(...recordsOf(world));
  note(world, typeof outcome === 'string' ? `${text}: ${outcome}` : text);
  return outcome;
}

/** With the names that the service shows of what belongs together, which its lists and events leave out. */
export function withLinks<T>({ site: { sandbox }, withList }: World, act: () => T): T {
  sandbox.control.setFaults({ payoutsList: withList, links: true });
  try {
    return act();
  } finally {
    sandbox.control.setFaults({ payoutsList: withList });
  }
}

type ShownPayment = PaymentTruth & { payins: { id: string; status: string }[] };

/** The service's own records of this world, at this moment. */
function serviceTruth(world: World): ServiceTruth {
  const { control } = world.site.sandbox;
  const paymentIntents = [...world.payments].map((id) => control.paymentIntent(id) as unknown as ShownPayment);
  const payins = paymentIntents.flatMap(({ id, payins: listed }) =>
    listed.map((payin) => ({
      paymentIntentId: id,
      status: payin.status,
      kytStatus: world.screened.get(payin.id) ?? 'approved',
    })),
  );
  const payouts = withLinks(world, () => [...world.payouts].map((id) => control.payout(id) as unknown as PayoutTruth));
  return { paymentIntents, payins, invoices: [...world.invoices.values()], payouts };
}

/** What a reader of the service's lists knows of this world: whoever attacks takes pieces of it. */
export function recordsOf(world: World): WorldRecord[] {
  const { control } = world.site.sandbox;
  const payments = [...world.payments].map((id) => [id, control.paymentIntent(id) ?? {}] as const);
  const payins = payments.flatMap(([id, fields]) =>
    (fields['payins'] as JsonObject[]).map((payin) => ({ ...payin, paymentIntentId: id })),
  );
  return [
    ...payments.map(([id, fields]) => ({ kind: 'payment_intent' as const, id, fields: fields as JsonObject })),
    ...payins.map((fields) => ({ kind: 'payin' as const, id: (fields as { id?: string }).id ?? '', fields })),
    ...[...world.invoices].map(([id, fields]) => ({ kind: 'invoice' as const, id, fields: { ...fields } })),
    ...[...world.payouts].map((id) => ({
      kind: 'payout' as const,
      id,
      fields: control.payout(id) as JsonObject,
    })),
  ];
}
