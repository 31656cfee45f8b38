import { z } from 'zod';
import { invalid, Refusal } from '../base/refusal.js';
import { text } from '../base/schemas.js';
import type { Merchant } from '../service.js';
import type { SettlementAccount } from './settlement-account.js';
import { settlementMethod } from './settlement-methods.js';

/** Ten years, in seconds. */
const LATEST_MATURITY = 10 * 366 * 86_400;

export const settlementAccountSchema = z.object({
  receptionAddress: text(255).min(1),
  settlementPaymentMethodId: z.string(),
  label: text(120).nullish(),
  isDefault: z.boolean().nullish(),
  /** Default: as the settings have it. */
  maturesInSeconds: z.number().min(0).max(LATEST_MATURITY).nullish(),
});

/** The dashboard's. The first account is the default one, and so is each that is made so. */
export function addSettlementAccount(
  merchant: Merchant,
  request: z.output<typeof settlementAccountSchema>,
): SettlementAccount {
  const method = settlementMethod(request.settlementPaymentMethodId);
  const { receptionAddress } = request;
  if (method.addressPattern !== null && !new RegExp(method.addressPattern).test(receptionAddress))
    throw invalid(`receptionAddress: such as ${method.addressFormatExample}`);
  const { clock, settings } = merchant.service;
  const at = clock.now();
  const isFirst = merchant.settlementAccounts.all().every(({ revokedAt }) => revokedAt !== null);
  const account = merchant.settlementAccounts.add((id) => ({
    id,
    receptionAddress,
    label: request.label ?? null,
    isDefault: false,
    methodId: method.id,
    createdAt: at,
    maturedAt: at + (request.maturesInSeconds ?? settings.maturationSeconds) * 1000,
    revokedAt: null,
  }));
  if (isFirst || request.isDefault) makeDefault(merchant, account);
  return account;
}

export function makeDefault(merchant: Merchant, account: SettlementAccount): SettlementAccount {
  if (account.revokedAt !== null) throw new Refusal(409, 'SETTLEMENT_ACCOUNT_REVOKED', 'the account is revoked');
  for (const one of merchant.settlementAccounts.all()) one.isDefault = one === account;
  return account;
}

export function revokeSettlementAccount(merchant: Merchant, account: SettlementAccount): SettlementAccount {
  account.revokedAt ??= merchant.service.clock.now();
  account.isDefault = false;
  return account;
}
