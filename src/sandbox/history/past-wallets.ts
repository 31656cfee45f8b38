import { type Asset, assetOf } from '../assets/assets.js';
import { ONE, roundDown } from '../base/money.js';
import { type Draw, drawsOf, pick } from '../base/random.js';
import { walletHolder } from '../ledger/ledger.js';
import type { Merchant } from '../service.js';
import type { Wallet } from '../wallets/wallet.js';
import { NEWEST_MS, SPAN_MS } from './history-plan.js';
import { addPastDeposit, addPastTransfer, type PastBooks, postOpening } from './past-transactions.js';

export interface PastWallets {
  /** How many sub-wallets there are. */
  wallets: number;
  /** How many rows their feed has: deposits and transfers, some with a fee. */
  movements: number;
}

/**
 * Sub-wallets opened in the first of the last two years, and what moved between them since, in order of time. The ledger
 * has one opening entry per asset for all of it.
 */
export function addPastWallets(merchant: Merchant, { wallets, movements }: PastWallets): void {
  if (wallets === 0) return;
  const { seed, service } = merchant;
  const startedAt = service.clock.now();
  const oldest = startedAt - SPAN_MS;
  const books: PastBooks = { merchant, open: [], sums: new Map() };
  const draws = drawsOf(seed, 'past-move', DRAWN);
  const step = (SPAN_MS - NEWEST_MS) / Math.max(movements, 1);
  let made = 0;
  const openUntil = (time: number): void => {
    for (; made < wallets && openedAt(oldest, made, wallets) <= time; made += 1) {
      const wallet = addPastWallet(merchant, made, openedAt(oldest, made, wallets));
      if (!wallet.isTerminal) books.open.push(wallet);
    }
  };
  for (let n = 0; n < movements; ) {
    const at = Math.floor(oldest + step * (n + draws.time(n)));
    openUntil(at);
    n += move(books, draws, { n, at, room: movements - n });
  }
  openUntil(startedAt);
  postOpening(books, startedAt);
}

function openedAt(oldest: number, n: number, wallets: number): number {
  return Math.floor(oldest + (SPAN_MS / 2) * (n / wallets));
}

const DRAWN = ['time', 'kind', 'wallet', 'other', 'asset', 'amount', 'fee'] as const;
type MoveDraws = Record<(typeof DRAWN)[number], Draw>;

const COINS: readonly [string, ...string[]] = ['USDT.TRC20', 'USDT.TRC20', 'USDC.POLYGON', 'BTC', 'XRP.XRPL'];

/** One deposit or transfer; answers how many rows of the feed it takes. What nobody has can't be sent: it is deposited. */
function move(books: PastBooks, draws: MoveDraws, { n, at, room }: { n: number; at: number; room: number }): number {
  const asset = assetOf(pick(COINS, draws.asset(n)));
  const wallet = oneOf(books.open, draws.wallet(n));
  const amount = amountOf(asset, draws.amount(n));
  const kind = draws.kind(n);
  const given = { wallet, asset, amount, at };
  if (kind < 0.55 || amount === 0n) return addPastDeposit(books, given);
  const other = kind < 0.8 && room > 1 ? oneOf(books.open, draws.other(n)) : null;
  const inward = other === null && kind >= 0.95;
  const from = inward ? null : wallet;
  const has = books.sums.get(asset.assetCode)?.get(from ? walletHolder(from.id) : 'operating') ?? 0n;
  if (other === wallet || has < amount || from?.status === 'frozen') return addPastDeposit(books, given);
  const feeAmount = draws.fee(n) < 0.3 ? roundDown(amount / 50n, asset.decimals) : 0n;
  return addPastTransfer(books, { ...given, from, to: inward ? wallet : other, feeAmount });
}

function oneOf(wallets: readonly Wallet[], draw: number): Wallet {
  const wallet = wallets[Math.floor(draw * wallets.length)];
  if (!wallet) throw new Error('no account of the past is open');
  return wallet;
}

/** Worth one to a hundred dollars. */
function amountOf({ usdRate, decimals }: Asset, draw: number): bigint {
  const cents = BigInt(100 + Math.floor(draw * 9900));
  return usdRate === 0n ? 0n : roundDown((cents * ONE * ONE) / (100n * usdRate), decimals);
}

/** The n-th of the past: now and then one is frozen, or was closed for good before anything moved. */
function addPastWallet(merchant: Merchant, n: number, createdAt: number): Wallet {
  const name = String(n + 1).padStart(4, '0');
  const isClosed = n % 50 === 49;
  const isFrozen = n % 20 === 7;
  return merchant.wallets.add((id, number) => ({
    id,
    number,
    label: `User ${name}`,
    externalRef: `user-${name}`,
    email: `user${name}@example.com`,
    phoneNumber: n % 2 === 0 ? `+2289${String(n).padStart(7, '0')}` : null,
    status: isClosed ? 'closed' : isFrozen ? 'frozen' : 'active',
    isTerminal: isClosed,
    isArchived: false,
    feeBearer: 'merchant',
    supportedAssets: null,
    addresses: new Map(),
    createdAt,
    updatedAt: createdAt,
  }));
}
