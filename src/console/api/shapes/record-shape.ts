import { z } from 'zod';
import { amount, text, time, told } from './parts.js';

/** How we know a record (interface: every record carries it). */
const knowledge = {
  verified: told(z.boolean(), 'The service’s own list or detail showed exactly these fields.', true),
  reported: told(
    z.record(z.string(), z.unknown()).nullable(),
    'What only webhooks say, where that is other than the fields. Whoever holds a signing secret can write it: never pay to an address, and never decide anything, by it.',
    null,
  ),
  doubted: told(
    z.boolean(),
    'A webhook newer than the poll says that it stands elsewhere: it may hold an order until the next poll.',
    false,
  ),
  verifiedAt: told(time.nullable(), 'When it did last, by the service’s clock.'),
  observedAt: told(time, 'When the state that is shown was seen, by the service’s clock.'),
  observedBy: told(
    z.object({ type: z.enum(['webhook', 'poll', 'delivery_history', 'api_response']), ref: text }),
    'Where that state was seen; `ref` is the event, the run or the operation.',
    { type: 'poll', ref: '512' },
  ),
  absentSince: told(time.nullable(), 'Since when the service provably does not list it.'),
};

/**
 * A record of the service: fields of the specification, which may be absent or null, and any other that the service shows.
 * The fields named are those that Tallyhook knows; a state may be any text, for the specification's lists are not complete.
 */
export function recordShape<F extends z.ZodRawShape>(
  name: string,
  { description, idExample }: { description: string; idExample: string },
  fields: F,
) {
  return z
    .looseObject({ id: told(z.string(), 'The service’s id.', idExample), ...fields, ...knowledge })
    .meta({ id: name, description });
}

type Fields<S, N extends string> = Record<N, S>;

function each<S extends z.ZodType, N extends string>(schema: S, names: readonly N[]): Fields<S, N> {
  return Object.fromEntries(names.map((name) => [name, schema])) as Fields<S, N>;
}

/** Fields that may be absent or null. */
export const texts = <N extends string>(...names: N[]) => each(text.nullish(), names);
export const amounts = <N extends string>(...names: N[]) => each(amount.nullish(), names);
export const times = <N extends string>(...names: N[]) => each(time.nullish(), names);
export const flags = <N extends string>(...names: N[]) => each(z.boolean().nullish(), names);
export const whole = <N extends string>(...names: N[]) => each(z.int().nullish(), names);
/** What the specification names without its inside. */
export const open = <N extends string>(...names: N[]) => each(z.unknown().optional(), names);

/** A state or another word of the service. */
export const word = (description: string, example: string) => told(text.nullish(), description, example);

/** Entry fields are not shown by the specification. */
export const history = { statusHistory: told(z.array(z.unknown()).nullish(), 'Steps, as the service shows them.', []) };
