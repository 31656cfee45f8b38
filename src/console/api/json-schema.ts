import { z } from 'zod';

/** As OpenAPI 3.1 reads it: JSON Schema 2020-12. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: boolean | JsonSchema;
  [more: string]: unknown;
}

/** By its name. */
export type Components = Record<string, JsonSchema>;

const REFERENCE = '#/components/schemas/';

/** What a request has to be; refers to nothing. */
export function requestSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', override: shorten }) as JsonSchema;
  return rest;
}

/** What an answer is. What has a name is put into `components`. More fields than those named may be there. */
export function answerSchema(schema: z.ZodType, components: Components): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
    },
  }) as JsonSchema & { $defs?: Components };
  const { $schema: _, $defs = {}, ...rest } = made;
  for (const [name, one] of Object.entries($defs)) components[name] = withReferences(one);
  return withReferences(rest);
}

/** The schema that a reference stands for; the schema itself where it is none. */
export function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const name = nameOf(schema);
  return name === null
    ? schema
    : { ...components[name], ...(schema.description ? { description: schema.description } : {}) };
}

/** The name of what is referred to. */
export function nameOf({ $ref }: JsonSchema): string | null {
  return $ref?.startsWith(REFERENCE) ? $ref.slice(REFERENCE.length) : null;
}

/** A format says as much as the long pattern that stands beside it. */
function shorten({ jsonSchema }: { jsonSchema: { format?: unknown; pattern?: unknown } }): void {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
}

function withReferences(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', REFERENCE) : value,
  ) as JsonSchema;
}
