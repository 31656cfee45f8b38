import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { type Field, type Fields, kinds, type RecordKind } from '../kinds/kinds.js';
import { amount, described, text, time } from './parts.js';

/** How we know a record: every record carries it. */
const knowledge = {
  verified: described(z.boolean(), 'The service’s own list or detail showed exactly these fields.', true),
  reported: described(
    z.record(z.string(), z.unknown()).nullable(),
    'What only webhooks say, where that is other than the fields. Whoever holds a signing secret can write it: never pay to an address, and never decide anything, by it.',
    null,
  ),
  doubted: described(
    z.boolean(),
    'A webhook newer than the poll says that it stands elsewhere: it may hold an order until the next poll.',
    false,
  ),
  verifiedAt: described(time.nullable(), 'When it did last, by the service’s clock.'),
  observedAt: described(time, 'When the state that is shown was seen, by the service’s clock.'),
  observedBy: described(
    z.object({ type: z.enum(['webhook', 'poll', 'delivery_history', 'api_response']), ref: text }),
    'Where that state was seen; `ref` is the event, the run or the operation.',
    { type: 'poll', ref: '512' },
  ),
  absentSince: described(time.nullable(), 'Since when the service provably does not list it.'),
};
type Knowledge = z.output<z.ZodObject<typeof knowledge>>;

/** A record as programs see it: the fields of the specification (section 2) as they are shown, and how we know them. */
export type RecordView = JsonObject & { id: string } & Omit<Knowledge, 'reported'> & { reported: JsonObject | null };

/** Fields that Tallyhook knows: any may be absent or null, and the service may show others. A state may be any text. */
export function recordShape(kind: RecordKind, besides: z.ZodRawShape = {}, words: object = {}): z.ZodType {
  const { idExample, fields, about } = kinds[kind];
  // `PaymentIntent` of payment_intent.
  const id = kind.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return z
    .looseObject({
      id: described(z.string(), 'The service’s id.', idExample),
      ...shapesOf(fields),
      ...besides,
      ...knowledge,
    })
    .meta({ id, description: about, ...words });
}

const plain = {
  id: text.nullish(),
  text: text.nullish(),
  state: text.nullish(),
  time: time.nullish(),
  amount: amount.nullish(),
  signed: amount.nullish(),
  total: amount.nullish(),
  flag: z.boolean().nullish(),
  whole: z.int().nullish(),
  texts: z.array(z.string()).nullish(),
  list: z.array(z.unknown()).nullish(),
  object: z.unknown().optional(),
  any: z.unknown().optional(),
  record: z.unknown().optional(),
} satisfies Partial<Record<Field['type'], z.ZodType>>;

function shapesOf(fields: Fields): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, shapeOf(field)]));
}

function shapeOf(field: Field): z.ZodType {
  const shape =
    field.type === 'records'
      ? z.array(z.looseObject({ ...shapesOf(field.of), id: z.string() })).nullish()
      : plain[field.type];
  return field.about === undefined ? shape : described(shape, field.about, field.example);
}
