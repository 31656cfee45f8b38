import { expect } from 'vitest';
import { run } from '../../sandbox/random-actions.js';
import type { Command } from '../../sandbox/random-commands.js';
import type { World } from '../../sandbox/random-world.js';

export const ASSETS = [
  'USDT.TRC20',
  'USDC.POLYGON',
  'DAI.ERC20',
  'BTC',
  'ETH',
  'LTC',
  'XRP.XRPL',
  'POL.POLYGON',
] as const;
const [USDT] = ASSETS;

/** Decimals that each can be paid in, and about how much is a sale. */
const sales: Readonly<Record<string, readonly [decimals: number, whole: string]>> = {
  'USDT.TRC20': [6, '48'],
  'USDC.POLYGON': [6, '125'],
  'DAI.ERC20': [18, '77'],
  BTC: [8, '0.00'],
  ETH: [18, '0.0'],
  LTC: [8, '1'],
  'XRP.XRPL': [6, '95'],
  'POL.POLYGON': [18, '201'],
};

/** What is done later: after so many further payments. */
interface Waiting {
  after: number;
  act: () => void;
}

export interface YearWorld extends World {
  /** Disputes that are open, oldest first. */
  disputed: string[];
  /** What will be disputed. */
  doubtful: Set<string>;
  /** Payments given back without a dispute: all of them, or a part. */
  givenBack: Map<string, 'whole' | 'part'>;
  /** Payments made so far. */
  payments: number;
  waiting: Waiting[];
}

export function emptyYear(): Omit<YearWorld, keyof World> {
  return { disputed: [], doubtful: new Set(), givenBack: new Map(), waiting: [], payments: 0 };
}

/** So many payments, evenly over the seconds of a month, and what else happens in it. */
export async function makeMonth(
  world: YearWorld,
  { month, payments, seconds }: { month: number; payments: number; seconds: number },
): Promise<void> {
  const { control } = world.sandbox;
  decideDisputes(world);
  for (let n = 0; n < payments; n += 1) {
    onePayment(world);
    if (n === Math.floor(payments / 2)) await otherMoves(world, month);
    control.advance(Math.floor(seconds / payments));
    await control.deliveriesIdle();
  }
}

function onePayment(world: YearWorld): void {
  const n = world.payments;
  world.payments += 1;
  const { control } = world.sandbox;
  const asset = ASSETS[n % ASSETS.length] ?? USDT;
  const fiat = n % 3 === 0;
  const id = control.createPayment({
    amount: fiat ? `${20 + (n % 80)}.${String(n % 100).padStart(2, '0')}` : amountOf(asset, n),
    currency: fiat ? 'USD' : asset,
    acceptedCoins: [asset],
    merchantReference: `order-${n}`,
  });
  world.intents.push(id);
  customer(world, id, n);
  const due = world.waiting.filter(({ after }) => after <= world.payments);
  world.waiting = world.waiting.filter(({ after }) => after > world.payments);
  for (const { act } of due) act();
}

/** What the customer of a payment makes of it: most pay at once. */
type Customer =
  | 'pays'
  | 'pays in two'
  | 'pays half'
  | 'pays too much'
  | 'pays late'
  | 'stays away'
  | 'cancels'
  | 'disputes all'
  | 'disputes a part';

const customers: readonly Customer[] = [
  ...Array.from({ length: 12 }, (): Customer => 'pays'),
  'disputes a part',
  'disputes all',
  'cancels',
  'stays away',
  'pays late',
  'pays too much',
  'pays half',
  'pays in two',
];

/** Of the n-th payment of the year, from 0 on. */
export function customerOf(n: number): Customer {
  return customers[Math.floor(n / ASSETS.length) % customers.length] ?? 'pays';
}

function customer(world: YearWorld, id: string, n: number): void {
  const { control } = world.sandbox;
  const pay = (percent: number) => void control.pay(id, { percent });
  const later = (after: number, act: () => void) => void world.waiting.push({ after: world.payments + after, act });
  const dispute = (amount?: string) => {
    world.doubtful.add(id);
    later(3, () => {
      control.dispute(id, amount);
      world.disputed.push(id);
    });
  };
  switch (customerOf(n)) {
    case 'pays':
      return pay(100);
    case 'pays in two':
      pay(60);
      return pay(40);
    case 'pays half':
      return pay(50);
    case 'pays too much':
      return pay(130);
    case 'pays late':
      // Its time is over by then, however many payments make a month.
      return later(8, () => pay(100));
    case 'disputes all':
      pay(100);
      return dispute();
    case 'disputes a part':
      pay(100);
      return dispute('0.0001');
    case 'cancels':
      return void control.cancel(id);
    case 'stays away':
      return;
  }
}

/** Of those that the service itself put in question, some are never decided. */
function decideDisputes({ sandbox: { control }, disputed, intents }: YearWorld): void {
  const irregular = intents.filter((id, n) => n % 3 > 0 && isOpen(control.paymentIntent(id)) && !disputed.includes(id));
  const open = [...disputed.splice(0), ...irregular];
  for (const [n, id] of open.entries()) control.decide(id, n % 2 === 0 ? 'encash' : 'refund');
}

function isOpen(intent: Record<string, unknown> | null): boolean {
  return intent?.['irregularStatus'] === 'pending_decision';
}

/** What does not come from customers: refunds, payouts, sub-wallets, a settlement, an invoice. */
async function otherMoves(world: YearWorld, month: number): Promise<void> {
  const asset = ASSETS[month % ASSETS.length] ?? USDT;
  const [part, whole] = paidInFull(world).slice(-2);
  if (part !== undefined) world.givenBack.set(part, 'part');
  if (whole !== undefined) world.givenBack.set(whole, 'whole');
  const at = (id = '') => world.intents.indexOf(id);
  const transfer = (of: number, to: (Command & { op: 'transfer' })['to'], fee: string | null): Command => {
    return { op: 'transfer', of, to, asset: USDT, amount: '20', fee, key: null, session: null };
  };
  const commands: Command[] = [
    { op: 'refund', of: at(whole), amount: null, feeBearer: 'customer' },
    { op: 'refund', of: at(part), amount: '0.0001', feeBearer: 'merchant' },
    { op: 'account' },
    { op: 'deposit', of: month, asset: USDT, amount: '500.000001' },
    { op: 'deposit', of: month, asset: 'ETH', amount: '0.000000000000000001' },
    transfer(month, 'operating', '2'),
    transfer(month, 'from-operating', '0.25'),
    transfer(month, { of: 0, by: 'id' }, '1.5'),
    {
      op: 'payout',
      of: month,
      asset: USDT,
      amount: '8.5',
      feeBearer: 'merchant',
      memoFits: true,
      key: null,
      session: null,
    },
    { op: 'settle', asset: USDT, amount: '60', of: null },
    { op: 'invoice', quantity: 3, unitPrice: '9.99', off: false },
    { op: 'pay-invoice', of: month },
    ...(month % 4 === 3 ? [{ op: 'close', of: month - 1 } as const] : []),
  ];
  // No list shows these: finance attributes them.
  world.sandbox.control.deposit(null, asset, '1.000000000000000001'.slice(0, 2 + (sales[asset]?.[0] ?? 6)));
  for (const one of commands) await run(world, one);
  for (const [assetCode, amount, feeBearer] of [
    [asset, '0.01', 'merchant'],
    [USDT, '15', 'customer'],
  ] as const)
    await withdraw(world, { assetCode, amount, feeBearer });
  const destination = { destinationType: 'internal_email', destinationAddress: 'other@merchant.example' } as const;
  world.payouts.push(world.sandbox.control.createPayout({ assetCode: USDT, amount: '4.2', ...destination }));
  for (const id of world.payouts) await throughToItsEnd(world, id);
}

/** Nothing of these is, or will be, in question, and nothing was given back. */
function paidInFull({ sandbox, intents, doubtful, givenBack }: YearWorld): string[] {
  return intents.filter((id) => {
    const { status, irregularStatus } = sandbox.control.paymentIntent(id) ?? {};
    return status === 'completed' && irregularStatus === 'none' && !doubtful.has(id) && !givenBack.has(id);
  });
}

async function withdraw(
  world: YearWorld,
  given: { assetCode: string; amount: string; feeBearer: string },
): Promise<void> {
  const memo = given.assetCode === 'XRP.XRPL' ? { destinationMemo: '7' } : {};
  const body = { ...given, ...memo, destinationAddress: 'somewhere' };
  const { status, body: made } = await world.sandbox.call('POST', '/sandbox/payouts', body);
  expect(status).toBeLessThan(500);
  if (status === 201) world.payouts.push(made.id);
}

async function throughToItsEnd({ sandbox }: YearWorld, id: string): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    const { status, destinationType } = sandbox.control.payout(id) ?? {};
    if (status === 'confirmed' || status === 'failed') return;
    const next = status === 'pending' || status === 'under_review' ? 'approve' : 'confirm';
    const name = status === 'approved' && destinationType === 'blockchain' ? 'broadcast' : next;
    await sandbox.call('POST', `/sandbox/payouts/${id}/${name}`, {});
  }
}

/** Every digit that the asset has, and another one for each payment. */
function amountOf(asset: string, n: number): string {
  const [decimals, whole] = sales[asset] ?? [6, '10'];
  const start = whole.includes('.') ? whole : `${whole}.`;
  const left = decimals - (start.split('.')[1] ?? '').length;
  const digits = String(1_234_567_891_234_567n * BigInt(n + 1)).padEnd(left, '7');
  return start + digits.slice(0, left);
}
