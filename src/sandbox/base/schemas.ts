import { z } from 'zod';
import { isIsoTime } from './iso-time.js';

/** What many request bodies have in common (specification 4, 8). */
export const amount = z
  .string()
  .regex(
    /^(?=.*[1-9])\d{1,18}(\.\d{1,18})?$/,
    'must be a decimal string: 1 to 18 digits, up to 18 decimals, strictly greater than zero',
  )
  .meta({ examples: ['25.5'] });

/** Zero is allowed here alone. */
export const refundAmount = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,18})?$/, 'must be a decimal string: 1 to 18 digits, up to 18 decimals')
  .meta({ examples: ['10'] });

export const assetCode = z
  .string()
  .regex(/^[A-Z0-9_.-]{1,32}$/, 'must be 1 to 32 characters from uppercase letters, digits, underscore, dot, hyphen')
  .meta({ examples: ['USDT.TRC20'] });

export const idempotencyKey = (most?: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_.:-]{1,${most ?? ''}}$`), keyRule(most));

export const totpCode = z.string().regex(/^\d{6}$/, 'must be exactly 6 digits');

export const address = z.string().min(3).max(255);

export const feeBearer = z.enum(['merchant', 'customer']);

export const text = (most = 10_000) => z.string().max(most);

export const isoTime = z
  .string()
  .refine(isIsoTime, 'must be an ISO 8601 time')
  .meta({ format: 'date-time', examples: ['2027-01-31T12:00:00.000Z'] });

/** Specification 2.15. */
export const autoSettlement = z.object({
  enabled: z.boolean(),
  settlementAccountAddress: z.string().nullish(),
  settlementPaymentMethodId: z.string().nullish(),
});

function keyRule(most: number | undefined): string {
  const limit = most === undefined ? '' : ` and at most ${most} characters`;
  return `must be letters, digits, underscore, dot, hyphen, colon${limit}`;
}

/** Specification 4.13. */
export const merchantAssetSchema = z.object({ isActive: z.boolean() });
