import type { Asset } from '../assets/assets.js';
import { existing } from '../base/refusal.js';

/** A way to be paid out in fiat (specification 2.7). */
export interface SettlementMethod {
  id: string;
  providerPaymentMethodId: string;
  providerPaymentMethodCode: string;
  minimumAmount: string | null;
  displayName: string;
  currency: string;
  country: string;
  network: string;
  accountType: 'mobile_money' | 'bank_account';
  addressPattern: string | null;
  addressFormatExample: string | null;
}

export const SETTLEMENT_PROVIDER = { id: 'prov_sandbox_exchange', name: 'Sandbox Exchange' };

const METHODS: readonly SettlementMethod[] = [
  {
    id: 'spm_mobile_money_tg',
    providerPaymentMethodId: 'ppm_101',
    providerPaymentMethodCode: 'MOMO_TG',
    minimumAmount: '500',
    displayName: 'Mobile money Togo',
    currency: 'XOF',
    country: 'TG',
    network: 'TMoney',
    accountType: 'mobile_money',
    addressPattern: '^\\+228\\d{8}$',
    addressFormatExample: '+22890123456',
  },
  {
    id: 'spm_mobile_money_ng',
    providerPaymentMethodId: 'ppm_102',
    providerPaymentMethodCode: 'MOMO_NG',
    minimumAmount: null,
    displayName: 'Mobile money Nigeria',
    currency: 'NGN',
    country: 'NG',
    network: 'MTN',
    accountType: 'mobile_money',
    addressPattern: '^\\+234\\d{10}$',
    addressFormatExample: '+2348012345678',
  },
  {
    id: 'spm_sepa',
    providerPaymentMethodId: 'ppm_201',
    providerPaymentMethodCode: 'SEPA',
    minimumAmount: '10',
    displayName: 'Bank account (SEPA)',
    currency: 'EUR',
    country: 'FR',
    network: 'SEPA',
    accountType: 'bank_account',
    addressPattern: '^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$',
    addressFormatExample: 'FR7630006000011234567890189',
  },
];

/** @throws {Refusal} for an id that no method has. */
export const settlementMethod = (id: string): SettlementMethod =>
  existing(
    METHODS.find((method) => method.id === id),
    'settlement payment method',
  );

/** The partner reverses stablecoins to every method, bitcoin to bank accounts alone, and no other coin. */
export function methodsFor(asset: Asset): readonly SettlementMethod[] {
  if (asset.category === 'stablecoin') return METHODS;
  return asset.assetCode === 'BTC' ? METHODS.filter(({ accountType }) => accountType === 'bank_account') : [];
}
