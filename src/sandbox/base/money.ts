/** Amounts are whole numbers of 10⁻¹⁸: exact in every operation. On the wire they are decimal strings (specification 4). */
const DECIMALS = 18;
export const ONE = 10n ** BigInt(DECIMALS);

const FORMAT = /^(\d{1,18})(?:\.(\d{1,18}))?$/;

/** null when the text is no amount: wrong form, too many digits, or zero where it must be positive. */
export function parseAmount(text: unknown, allow: { zero: boolean } = { zero: false }): bigint | null {
  if (typeof text !== 'string') return null;
  const match = FORMAT.exec(text);
  if (!match) return null;
  const amount = BigInt(match[1] ?? '0') * ONE + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'));
  return amount === 0n && !allow.zero ? null : amount;
}

/** For amounts that this program wrote itself. */
export function amountOf(text: string | null): bigint {
  if (text === null) return 0n;
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMALS, '0'));
}

export function formatAmount(amount: bigint): string {
  if (amount < 0n) return `-${formatAmount(-amount)}`;
  const whole = amount / ONE;
  const fraction = (amount % ONE).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return fraction === '' ? whole.toString() : `${whole}.${fraction}`;
}

export function roundDown(amount: bigint, decimals: number): bigint {
  const unit = 10n ** BigInt(DECIMALS - decimals);
  return amount - (amount % unit);
}

export function roundUp(amount: bigint, decimals: number): bigint {
  const unit = 10n ** BigInt(DECIMALS - decimals);
  return amount % unit === 0n ? amount : amount - (amount % unit) + unit;
}
