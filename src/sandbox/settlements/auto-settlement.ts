import type { z } from 'zod';
import type { Asset } from '../assets/assets.js';
import { Refusal } from '../base/refusal.js';
import type { autoSettlement } from '../base/schemas.js';
import type { Merchant } from '../service.js';
import type { SettlementAccount } from './settlement-account.js';
import { methodsFor } from './settlement-methods.js';

type AutoSettlement = z.output<typeof autoSettlement>;

/**
 * Id of the account that the payment is to be reversed to, null where none is wanted. Without address and method it is
 * the default account. Every refusal's code begins with AUTO_SETTLEMENT_ (specification 4.1, 7). Without an asset only the
 * account is checked.
 */
export function checkAutoSettlement(
  merchant: Merchant,
  input: AutoSettlement | null | undefined,
  asset: Asset | null,
): string | null {
  if (!input?.enabled) return null;
  const account = accountFor(merchant, input);
  if (!account || account.revokedAt !== null)
    throw refusal('DESTINATION_UNUSABLE', 'there is no such settlement account');
  if (account.maturedAt > merchant.service.clock.now())
    throw refusal('DESTINATION_NOT_MATURED', 'the settlement account may not be settled to automatically yet');
  if (asset && !methodsFor(asset).some(({ id }) => id === account.methodId))
    throw refusal('COIN_NOT_SUPPORTED', `the partner cannot reverse ${asset.assetCode} to this account`);
  return account.id;
}

function accountFor(merchant: Merchant, input: AutoSettlement): SettlementAccount | undefined {
  const { settlementAccountAddress: address, settlementPaymentMethodId: methodId } = input;
  const accounts = merchant.settlementAccounts.newestFirst();
  if (!address && !methodId) return accounts.find(({ isDefault }) => isDefault);
  const fitting = accounts.filter((one) => one.receptionAddress === address && one.methodId === methodId);
  return fitting.find(({ revokedAt }) => revokedAt === null) ?? fitting[0];
}

const refusal = (code: string, message: string): Refusal => new Refusal(400, `AUTO_SETTLEMENT_${code}`, message);
