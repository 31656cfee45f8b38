import { addressOf } from './assets/address.js';
import { ASSETS } from './assets/assets.js';
import { formatAmount } from './base/money.js';
import { createDraw, pick } from './base/random.js';
import { unlessRefused } from './base/refusal.js';
import { createInvoice, invoiceSchema, sendInvoice } from './invoices/create-invoice.js';
import { cancelInvoice } from './invoices/end-invoice.js';
import type { Invoice } from './invoices/invoice.js';
import { openInvoice } from './invoices/open-invoice.js';
import { createStandardIntent } from './payments/create-standard.js';
import { openDispute } from './payments/dispute.js';
import { cancelIntent, isUnpaid } from './payments/expire-intent.js';
import type { Intent } from './payments/intent.js';
import { payIntent } from './payments/pay-intent.js';
import { advancePayout, nextStep } from './payouts/advance-payout.js';
import { createDashboardPayout, dashboardPayoutSchema } from './payouts/create-dashboard-payout.js';
import type { Payout } from './payouts/payout.js';
import { type Merchant, strikes } from './service.js';
import { receiveDeposit } from './wallets/receive-deposit.js';
import { createWallet, newWalletSchema, updateWallet } from './wallets/save-wallet.js';

/**
 * The list moves between two pages: new rows come in at its head, and rows that the caller has just seen, the cursor row
 * among them, change and so may leave the filter.
 */
export function churn(merchant: Merchant, seen: readonly Intent[], n: number): void {
  const draw = createDraw(merchant.seed, 'churn');
  const inserts = 1 + Math.floor(draw(n * 8) * 3);
  for (let i = 0; i < inserts; i += 1) {
    createStandardIntent(merchant, {
      amount: '10',
      currency: 'USD',
      assetCode: 'USDT.TRC20',
      merchantReference: `churn-${n}-${i}`,
    });
  }
  const last = seen.at(-1);
  const other = seen[Math.floor(draw(n * 8 + 1) * seen.length)];
  if (last) moveIntent(merchant, last, draw(n * 8 + 2));
  if (other && other !== last) moveIntent(merchant, other, draw(n * 8 + 3));
}

function moveIntent(merchant: Merchant, { id }: Intent, draw: number): void {
  const intent = merchant.intents.read(id);
  if (!intent) return;
  if (isUnpaid(intent)) {
    if (draw < 0.5) cancelIntent(merchant, id);
    else payIntent(merchant, id);
  } else if (intent.status === 'completed' && intent.irregularStatus === 'none') {
    // What the payment brought may be spent already, or given back.
    unlessRefused(() => openDispute(merchant, id));
  }
}

/** What moves of a list between two pages: new rows at its head, the row of the cursor, and another that was seen before it. */
interface Moves<Row> {
  rows: readonly Row[];
  /** Of the cursor. */
  place: number;
  draw: (at: number) => number;
  mostNew: number;
  insert: (nth: number) => void;
  move: (row: Row, draw: number) => void;
}

function moveList<Row>({ rows, place, draw, mostNew, insert, move }: Moves<Row>, n: number): void {
  const last = rows[place];
  const other = rows[place + 1 + Math.floor(draw(n * 4) * (rows.length - place - 1))];
  const inserts = 1 + Math.floor(draw(n * 4 + 1) * mostNew);
  for (let i = 0; i < inserts; i += 1) insert(i);
  if (last) move(last, draw(n * 4 + 2));
  if (other && other !== last) move(other, draw(n * 4 + 3));
}

/** New invoices come in, and those that the caller has just seen are sent, paid or cancelled. */
export function churnInvoices(merchant: Merchant, cursor: string, n: number): void {
  const { invoices } = merchant;
  const moves: Moves<Invoice> = {
    rows: invoices.all(),
    place: invoices.placeOf(cursor) ?? 0,
    draw: createDraw(merchant.seed, 'churn-invoices'),
    mostNew: 3,
    insert: (i) => newInvoice(merchant, `churn-${n}-${i}`),
    move: (invoice, draw) => moveInvoice(merchant, invoice, draw),
  };
  moveList(moves, n);
}

function newInvoice(merchant: Merchant, merchantReference: string): void {
  const request = { customerEmail: 'churn@example.com', amount: '10', currency: 'USD', merchantReference };
  sendInvoice(merchant, createInvoice(merchant, { request: invoiceSchema.parse(request), meta: null }));
}

function moveInvoice(merchant: Merchant, invoice: Invoice, draw: number): void {
  unlessRefused(() => {
    if (invoice.status === 'draft') sendInvoice(merchant, invoice);
    else if (invoice.status === 'sent' && draw < 0.4) cancelInvoice(merchant, invoice);
    else if (invoice.status === 'sent') payIntent(merchant, openInvoice(merchant, invoice).id);
  });
}

/** New payouts come in where the balance allows it, and those that the caller has just seen take their next step or fail. */
export function churnPayouts(merchant: Merchant, cursor: string, n: number): void {
  const { payouts } = merchant;
  const moves: Moves<Payout> = {
    rows: payouts.all(),
    place: payouts.placeOf(cursor) ?? 0,
    draw: createDraw(merchant.seed, 'churn-payouts'),
    mostNew: 2,
    insert: (i) => newPayout(merchant, `churn-${n}-${i}`, n * 2 + i),
    move: (payout, draw) => movePayout(merchant, payout, draw),
  };
  moveList(moves, n);
}

function newPayout(merchant: Merchant, merchantReference: string, n: number): void {
  const { ledger, inactiveAssets, seed } = merchant;
  const asset = ASSETS.find(
    ({ assetCode, payoutFee, memoType }) =>
      memoType === null && !inactiveAssets.has(assetCode) && ledger.available('operating', assetCode) > 3n * payoutFee,
  );
  if (!asset) return;
  const { assetCode, payoutFee } = asset;
  const destinationAddress = addressOf(seed, 'churn-payout', n, assetCode);
  const amount = formatAmount(2n * payoutFee);
  unlessRefused(() => {
    createDashboardPayout(
      merchant,
      dashboardPayoutSchema.parse({ assetCode, amount, destinationAddress, merchantReference }),
    );
  });
}

function movePayout(merchant: Merchant, payout: Payout, draw: number): void {
  const next = nextStep(payout);
  if (next === null) return;
  unlessRefused(() => advancePayout(merchant, payout, { step: draw < 0.8 ? next : 'fail' }, 'system'));
}

/** The feed moves between two of its pages: now and then money comes in, to an account that is not closed. */
export function churnTransactions(merchant: Merchant): void {
  const n = merchant.deposits.all().length;
  if (!strikes(merchant, merchant.service.faults.churn, 'churn-movements', n)) return;
  const [first, ...others] = merchant.wallets.all().filter(({ status }) => status !== 'closed');
  if (!first) return;
  const draw = createDraw(merchant.seed, 'churn-movements-account');
  const wallet = pick([first, ...others], draw(n));
  const known = ASSETS.find(({ assetCode }) => wallet.addresses.has(assetCode));
  const asset = known ?? ASSETS.find(({ assetCode }) => !merchant.inactiveAssets.has(assetCode));
  if (asset) receiveDeposit(merchant, wallet, { assetCode: asset.assetCode, amount: '1' });
}

/** A new account comes in at the head of the list, and the cursor row is frozen, or freed: it may leave the filter. */
export function churnWallets(merchant: Merchant, cursor: string, n: number): void {
  createWallet(merchant, newWalletSchema.parse({ label: `churn-${n}` }));
  const seen = merchant.wallets.get(cursor);
  if (!seen || seen.status === 'closed') return;
  updateWallet(merchant, seen, { status: seen.status === 'active' ? 'frozen' : 'active' });
}
