import { z } from 'zod';

/** Specification 4.13. */
export const merchantAssetSchema = z.object({ isActive: z.boolean() });
