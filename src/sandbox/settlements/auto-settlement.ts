import type { Asset } from '../assets/assets.js';
import { Refusal } from '../base/refusal.js';

/** The one fiat account of the sandbox's merchant that a payment may be reversed to. */
const SETTLEMENT_ACCOUNT = {
  settlementAccountAddress: '+22890123456',
  settlementPaymentMethodId: 'spm_mobile_money_tg',
};

/** Checked at creation; every refusal's code begins with AUTO_SETTLEMENT_ (specification 4.1, 7). null: nothing to object. */
export function checkAutoSettlement(input: unknown, asset: Asset): Refusal | null {
  if (input === undefined || input === null) return null;
  if (typeof input !== 'object') return refusal('INVALID', 'autoSettlement must be an object');
  const { enabled, settlementAccountAddress, settlementPaymentMethodId } = input as Record<string, unknown>;
  if (typeof enabled !== 'boolean') return refusal('INVALID', 'autoSettlement.enabled must be true or false');
  if (!enabled) return null;
  const known =
    settlementAccountAddress === SETTLEMENT_ACCOUNT.settlementAccountAddress &&
    settlementPaymentMethodId === SETTLEMENT_ACCOUNT.settlementPaymentMethodId;
  if (!known) return refusal('DESTINATION_UNUSABLE', 'there is no such settlement account');
  if (asset.category !== 'stablecoin') {
    return refusal('COIN_NOT_SUPPORTED', `the partner cannot reverse ${asset.assetCode} to this account`);
  }
  return null;
}

function refusal(code: string, message: string): Refusal {
  return new Refusal(400, `AUTO_SETTLEMENT_${code}`, message);
}
