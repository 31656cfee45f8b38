import type { Faults } from '../../faults.js';

type Fields = Readonly<Record<string, readonly string[]>>;

/** What section 2 of the specification does not name, by the switch of the faults that shows it. */
const UNNAMED: Readonly<Record<'unnamedFields' | 'links', Fields>> = {
  unnamedFields: {
    PaymentIntent: ['metadata'],
    Payin: ['accountId'],
    Account: ['isArchived', 'createdAt', 'updatedAt'],
  },
  links: { Payout: ['paymentIntentId'], Invoice: ['merchantReference'], NewInvoice: ['merchantReference'] },
};

/** The answers' schemas without the fields that are not shown. Those of `links` are optional, and stand there otherwise. */
export function withoutUnnamed(
  schemas: Record<string, Record<string, unknown>>,
  { unnamedFields, links }: Faults,
): Record<string, Record<string, unknown>> {
  if (unnamedFields) return schemas;
  const hidden = links ? [UNNAMED.unnamedFields] : [UNNAMED.unnamedFields, UNNAMED.links];
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const fields = hidden.flatMap((one) => one[name] ?? []);
      return [name, fields.length === 0 ? schema : without(schema, fields)];
    }),
  );
}

function without(schema: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const { properties, required } = schema as { properties: object; required: readonly string[] };
  const isShown = (field: string): boolean => !fields.includes(field);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([field]) => isShown(field))),
    required: required.filter(isShown),
  };
}
