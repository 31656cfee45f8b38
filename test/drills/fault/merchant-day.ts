import type { Sandbox } from '../../../src/sandbox/start-sandbox.js';
import { Random } from '../../reconcile/random.js';
import type { DrillSizes } from './drill-sizes.js';
import { createService, type Service } from './sandbox-service.js';

type Step = () => unknown;

/** What happens at the service while the faults are at work, by rounds. */
export interface MerchantDay {
  /** Everything of a round, in the order of the seed. */
  play(round: number): Promise<void>;
  /** By reference. */
  orders: Map<string, DayOrder>;
}

interface DayOrder {
  /** What it has to show in the end. */
  status: string;
  /** Whether the store registered it, and what it expects. */
  registered: boolean;
  amount: string;
  currency: string;
}

export interface DayOptions extends Omit<DrillSizes, 'wallets'> {
  rounds: number;
  /** Of references; default: none. */
  prefix?: string;
}

/** How far apart two rounds are, so that what expires does so while the faults are still at work. */
export const ROUND_SECONDS = 300;
/** So many sub-wallets the day opens by itself. */
export const DAY_WALLETS = 4;
const EXPIRES_AFTER_ROUNDS = 2;
/** So many orders have one that the store never registered. */
const UNREGISTERED = 12;

export function createMerchantDay(sandbox: Sandbox, options: DayOptions): MerchantDay {
  const random = new Random(options.seed);
  const plan: Step[][] = Array.from({ length: options.rounds }, () => []);
  const day: Day = {
    service: createService(sandbox, options.prefix ?? ''),
    random,
    orders: new Map(),
    lastRound: options.rounds - 1,
    prefix: options.prefix ?? '',
    at: (round, step) => void plan[Math.min(round, options.rounds - 1)]?.push(step),
  };
  for (let n = 0; n < options.payments; n += 1) planPayment(day, n);
  for (let n = 0; n < options.invoices; n += 1) planInvoice(day, n);
  for (let n = 0; n < options.payouts; n += 1) planPayout(day, n);
  for (let n = 0; n < options.movements; n += 1) planTransaction(day, n);
  return {
    orders: day.orders,
    async play(round) {
      for (const step of plan[round] ?? []) await step();
    },
  };
}

interface Day {
  service: Service;
  random: Random;
  orders: Map<string, DayOrder>;
  lastRound: number;
  prefix: string;
  at: (round: number, step: Step) => void;
}

/** Of a hundred customers. */
const COURSES = [
  ...Array.from({ length: 60 }, () => 'exact' as const),
  ...Array.from({ length: 5 }, () => 'under' as const),
  ...Array.from({ length: 3 }, () => 'underEncashed' as const),
  ...Array.from({ length: 3 }, () => 'underRefunded' as const),
  ...Array.from({ length: 4 }, () => 'over' as const),
  ...Array.from({ length: 3 }, () => 'overEncashed' as const),
  ...Array.from({ length: 4 }, () => 'late' as const),
  ...Array.from({ length: 5 }, () => 'never' as const),
  ...Array.from({ length: 4 }, () => 'cancelled' as const),
  ...Array.from({ length: 3 }, () => 'twice' as const),
  ...Array.from({ length: 3 }, () => 'disputed' as const),
  ...Array.from({ length: 3 }, () => 'refunded' as const),
];

const ORDER = {
  exact: 'paid',
  under: 'disputed',
  underEncashed: 'underpaid',
  underRefunded: 'refunded',
  over: 'disputed',
  overEncashed: 'overpaid',
  late: 'disputed',
  never: 'expired',
  cancelled: 'cancelled',
  twice: 'paid_twice',
  disputed: 'disputed',
  refunded: 'refunded',
} as const satisfies Record<(typeof COURSES)[number], string>;

const PRICES = [
  { currency: 'USDT.TRC20', assetCode: 'USDT.TRC20' },
  { currency: 'USD', assetCode: 'USDT.TRC20' },
  { currency: 'EUR', assetCode: 'BTC' },
  { currency: 'USD', assetCode: 'XRP.XRPL' },
] as const;

function planPayment(day: Day, n: number): void {
  const { random, service, orders } = day;
  const course = random.pick(COURSES);
  const merchantReference = `${day.prefix}order-${String(n).padStart(5, '0')}`;
  const { currency, assetCode } = random.pick(PRICES);
  const amount = `${20 + random.below(180)}.${10 + random.below(90)}`;
  const rest = { amount, currency, assetCode, merchantReference, metadata: JSON.stringify({ cart: n }) };
  const expires = course === 'never' || course === 'late';
  const expirySeconds = expires ? EXPIRES_AFTER_ROUNDS * ROUND_SECONDS - 60 : 86_400;
  const start = random.below(Math.max(1, day.lastRound - 4));
  const { at } = day;
  const create = () => service.createPayment({ ...rest, expirySeconds });
  orders.set(merchantReference, { status: ORDER[course], registered: n % UNREGISTERED !== 0, amount, currency });
  const ids: string[] = [];
  const paid = start + (course === 'late' ? EXPIRES_AFTER_ROUNDS + 1 : random.below(2));
  at(start, () => ids.push(create()));
  if (course === 'never') return;
  const id = () => ids[0] ?? '';
  if (course === 'cancelled') {
    at(start + 1, () => service.cancel(id()));
    return;
  }
  const percent = course.startsWith('under') ? 60 : course.startsWith('over') ? 130 : 100;
  at(paid, () => service.pay(id(), percent));
  if (course === 'twice') {
    at(paid, () => ids.push(create()));
    at(paid + 1, () => service.pay(ids[1] ?? '', 100));
  }
  if (course === 'disputed') at(paid + 1, () => service.dispute(id()));
  if (course.endsWith('Encashed')) at(paid + 1, () => service.decide(id(), 'encash'));
  if (course === 'underRefunded') at(paid + 1, () => service.decide(id(), 'refund'));
  if (course === 'refunded') at(paid + 1, () => service.refund(id()));
}

function planInvoice(day: Day, n: number): void {
  const { random, service, at, orders } = day;
  const course = random.pick(['paid', 'paid', 'paid', 'cancelled', 'expired', 'sent', 'draft'] as const);
  const reference = `${day.prefix}invoice-${String(n).padStart(4, '0')}`;
  const start = random.below(Math.max(1, day.lastRound - 3));
  const amount = `${10 + random.below(90)}.50`;
  const ids: string[] = [];
  const status = course === 'sent' || course === 'draft' ? 'awaiting_payment' : course;
  orders.set(reference, { status, registered: n % UNREGISTERED !== 0, amount, currency: 'USD' });
  at(start, async () => {
    const customerEmail = course === 'draft' ? `nobody-${n}@mail.invalid` : `customer-${n}@mail.example`;
    const expiresInSeconds = course === 'expired' ? ROUND_SECONDS : 7 * 86_400;
    ids.push(await service.createInvoice({ amount, reference, customerEmail, expiresInSeconds }));
  });
  if (course === 'paid') at(start + 1, () => service.payInvoice(ids[0] ?? ''));
  if (course === 'cancelled') at(start + 1, () => service.cancelInvoice(ids[0] ?? ''));
}

function planPayout(day: Day, n: number): void {
  const { random, service, at } = day;
  const course = random.pick(['auto', 'auto', 'auto', 'failed', 'internal', 'wallet'] as const);
  const start = Math.min(2 + random.below(Math.max(1, day.lastRound - 3)), day.lastRound);
  const ids: string[] = [];
  at(start, () => ids.push(service.createPayout(course, random.below(1_000), `payout-${n}`)));
  if (course === 'failed') at(start, () => service.failPayout(ids[0] ?? ''));
}

function planTransaction(day: Day, n: number): void {
  const { random, service, at } = day;
  const round = random.below(day.lastRound);
  const seed = random.below(1_000_000);
  if (n % 3 === 0) at(round, () => service.depositToWallet(seed));
  else at(round, () => service.transfer(seed));
}
