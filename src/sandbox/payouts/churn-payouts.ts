import { addressOf } from '../assets/address.js';
import { ASSETS } from '../assets/assets.js';
import { formatAmount } from '../base/money.js';
import { createDraw } from '../base/random.js';
import { unlessRefused } from '../base/unless-refused.js';
import type { Merchant } from '../service.js';
import { advancePayout, nextStep } from './advance-payout.js';
import { createDashboardPayout, dashboardPayoutSchema } from './create-dashboard-payout.js';
import type { Payout } from './payout.js';

/**
 * The list moves between two pages: new payouts come in at its head where the balance allows it, and payouts that the
 * caller has just seen, the one of the cursor among them, take their next step or fail.
 */
export function churnPayouts(merchant: Merchant, cursor: string, n: number): void {
  const draw = createDraw(merchant.seed, 'churn-payouts');
  const rows = merchant.payouts.all();
  const place = merchant.payouts.placeOf(cursor) ?? 0;
  const last = rows[place];
  const other = rows[place + 1 + Math.floor(draw(n * 4) * (rows.length - place - 1))];
  const inserts = 1 + Math.floor(draw(n * 4 + 1) * 2);
  for (let i = 0; i < inserts; i += 1) insert(merchant, `churn-${n}-${i}`, n * 2 + i);
  if (last) move(merchant, last, draw(n * 4 + 2));
  if (other && other !== last) move(merchant, other, draw(n * 4 + 3));
}

function insert(merchant: Merchant, merchantReference: string, n: number): void {
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

function move(merchant: Merchant, payout: Payout, draw: number): void {
  const next = nextStep(payout);
  if (next === null) return;
  unlessRefused(() => advancePayout(merchant, payout, { step: draw < 0.8 ? next : 'fail' }, 'system'));
}
