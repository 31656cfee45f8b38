import { iso, isoOrNull } from '../base/iso-time.js';
import { type SettlementMethod, settlementMethod } from './settlement-methods.js';

/** A fiat account of the merchant (specification 2.6). */
export interface SettlementAccount {
  id: string;
  receptionAddress: string;
  label: string | null;
  isDefault: boolean;
  methodId: string;
  createdAt: number;
  maturedAt: number;
  revokedAt: number | null;
}

export function settlementAccountRecord(account: SettlementAccount, now: number) {
  const { id, ...method } = methodFields(settlementMethod(account.methodId));
  return {
    id: account.id,
    receptionAddress: account.receptionAddress,
    label: account.label,
    isDefault: account.isDefault,
    settlementPaymentMethodId: account.methodId,
    createdAt: iso(account.createdAt),
    maturedAt: iso(account.maturedAt),
    isMatured: account.maturedAt <= now,
    revokedAt: isoOrNull(account.revokedAt),
    settlementPaymentMethod: { id, ...method },
    paymentMethod: method,
  };
}

function methodFields({ id, displayName, accountType, country, network, currency }: SettlementMethod) {
  return { id, displayName, accountType, country, network, currency };
}
