import { createDraw, pick } from './base/random.js';
import { unlessRefused } from './base/refusal.js';
import type { SandboxControl } from './control.js';

export interface TrafficOptions {
  paymentsPerSecond: number;
  seed?: number;
  /** References are this and six digits: `order-000123`. */
  referencePrefix?: string;
}

export interface Traffic {
  /** How many payments were created so far. */
  created(): number;
  /** No new payment from here on, and none of those begun is paid any more. */
  stop(): void;
}

type Course = 'exact' | 'under' | 'over' | 'late' | 'twice' | 'never' | 'disputed' | 'again';

/** Cumulated shares of what customers do. */
const COURSES: readonly [number, Course][] = [
  [0.8, 'exact'],
  [0.84, 'under'],
  [0.88, 'over'],
  [0.91, 'late'],
  [0.93, 'twice'],
  [0.97, 'never'],
  [0.99, 'disputed'],
  [1, 'again'],
];

const LATE_EXPIRY_SECONDS = 5;
const NEVER_EXPIRY_SECONDS = 20;
const CURRENCIES = ['USD', 'EUR', 'USDT.TRC20'] as const;
const COINS = ['USDT.TRC20', 'USDT.ERC20', 'BTC', 'XRP.XRPL'] as const;

/**
 * Customers at work: payments are created at the given pace and then paid, most of them exactly, some under, over, late,
 * twice or never; some get disputed and decided; for some orders a second payment is made and paid.
 */
export function startTraffic(sandbox: { control: SandboxControl }, options: TrafficOptions): Traffic {
  const { paymentsPerSecond, seed = 1, referencePrefix = 'order-' } = options;
  const waiting = new Set<NodeJS.Timeout>();
  let created = 0;
  const later: Later = (seconds, step) => {
    const timer = setTimeout(() => {
      waiting.delete(timer);
      // Faults and churn move payments too: what a customer meant to do may no longer be possible.
      unlessRefused(step);
    }, seconds * 1000);
    waiting.add(timer);
  };
  const ticker = setInterval(() => {
    created += 1;
    beginOrder(
      { control: sandbox.control, seed, later },
      `${referencePrefix}${String(created).padStart(6, '0')}`,
      created,
    );
  }, 1000 / paymentsPerSecond);
  return {
    created: () => created,
    stop() {
      clearInterval(ticker);
      for (const timer of waiting) clearTimeout(timer);
      waiting.clear();
    },
  };
}

type Later = (seconds: number, step: () => void) => void;

interface Street {
  control: SandboxControl;
  seed: number;
  later: Later;
}

function beginOrder({ control, seed, later }: Street, merchantReference: string, n: number): void {
  const draw = (what: string): number => createDraw(seed, `traffic-${what}`)(n);
  const course = COURSES.find(([share]) => draw('course') < share)?.[1] ?? 'exact';
  const currency = pick(CURRENCIES, draw('currency'));
  const assetCode = currency === 'USDT.TRC20' ? currency : pick(COINS, draw('coin'));
  const amount = (5 + draw('amount') * 200).toFixed(2);
  const metadata = JSON.stringify({ cart: n, customer: `c-${n % 97}` });
  const create = (expirySeconds?: number): string =>
    control.createPayment({ amount, currency, merchantReference, metadata, assetCode, expirySeconds });
  const soon = 0.2 + draw('soon') * 2;

  if (course === 'never') {
    create(NEVER_EXPIRY_SECONDS);
    return;
  }
  const id = create(course === 'late' ? LATE_EXPIRY_SECONDS : undefined);
  if (course === 'under') later(soon, () => control.pay(id, { percent: 60 }));
  else if (course === 'over') later(soon, () => control.pay(id, { percent: 130 }));
  else later(course === 'late' ? LATE_EXPIRY_SECONDS + 2 : soon, () => control.pay(id));
  if (course === 'twice') later(soon + 6, () => control.pay(id));
  if (course === 'disputed') later(soon + 10, () => control.dispute(id));
  if (course === 'again') later(soon + 1, () => control.pay(create()));
  const decided = ['under', 'over', 'late', 'disputed'].includes(course) && draw('decided') < 0.5;
  if (decided) later(soon + 20, () => control.decide(id, draw('decision') < 0.5 ? 'encash' : 'refund'));
}
