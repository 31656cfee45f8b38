import { z } from 'zod';
import { amount, text } from '../../base/schemas.js';

const orUndefined = (given: string | null | undefined): string | undefined => given || undefined;

/** What a customer sends; left out: exactly what is expected, in the first coin that is accepted. */
export const paymentSchema = z.object({
  assetCode: text().nullish().transform(orUndefined),
  amount: amount.nullish().transform(orUndefined),
  senderAddress: text().nullish().transform(orUndefined),
});
