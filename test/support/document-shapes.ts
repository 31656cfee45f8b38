import { z } from 'zod';
import type { JsonSchema } from '../../src/console/api/json-schema.js';
import type { OpenApiDocument } from '../../src/console/api/openapi-document.js';

/**
 * What the document says of something, as a check. Strict: a field that the document does not name is refused, though clients
 * are to expect more; except where any field is allowed.
 */
export function documentedShapes({ components }: OpenApiDocument): (schema: JsonSchema) => z.ZodType {
  const $defs = Object.fromEntries(Object.entries(components.schemas).map(([name, one]) => [name, strict(one)]));
  const made = new Map<unknown, z.ZodType>();
  return (schema) => {
    const shape = made.get(schema) ?? z.fromJSONSchema({ ...strict(schema), $defs } as never);
    made.set(schema, shape);
    return shape;
  };
}

export function documentedAnswers(document: OpenApiDocument) {
  const shapeOf = documentedShapes(document);
  return (method: 'get' | 'post' | 'put' | 'delete', path: string, status: number): z.ZodType => {
    const { content } = document.paths[path]?.[method]?.responses[status] ?? {};
    const schema = Object.values(content ?? {})[0]?.schema;
    if (schema === undefined) throw new Error(`${status} of ${method} ${path} is not in the document`);
    return shapeOf(schema);
  };
}

function strict(schema: JsonSchema): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    const made = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)]));
    if (typeof made['$ref'] === 'string') made['$ref'] = made['$ref'].replace('#/components/schemas/', '#/$defs/');
    if (made['type'] === 'object' && made['additionalProperties'] === undefined) made['additionalProperties'] = false;
    delete made['examples'];
    return made;
  };
  return inside(schema) as JsonSchema;
}
