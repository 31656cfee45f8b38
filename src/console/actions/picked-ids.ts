import { z } from 'zod';

/** What the boxes of a list's rows send: none, one, or many. */
export const pickedIds = z.preprocess(
  (given) => (given === undefined ? [] : Array.isArray(given) ? given : [given]),
  z.array(z.string().min(1).max(200)).max(1_000),
);
