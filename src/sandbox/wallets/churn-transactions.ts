import { ASSETS } from '../assets/assets.js';
import { createDraw, pick } from '../base/random.js';
import { type Merchant, strikes } from '../service.js';
import { receiveDeposit } from './receive-deposit.js';

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
