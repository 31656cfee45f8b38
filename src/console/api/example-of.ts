import { type Components, type JsonSchema, resolved } from './json-schema.js';

/**
 * An example that the schema allows, the same each time: its own where it has one, otherwise of its parts. Of an object what
 * may be absent is left out unless it has an example.
 */
export function exampleOf(schema: JsonSchema, components: Components): unknown {
  const {
    examples,
    enum: words,
    const: only,
    default: usual,
    anyOf,
    type,
    items,
    properties,
  } = resolved(schema, components);
  if (examples !== undefined) return examples[0];
  if (only !== undefined) return only;
  if (words !== undefined) return words[0];
  if (properties !== undefined) return objectOf(resolved(schema, components), components);
  if (anyOf !== undefined) return exampleOf(anyOf[0] ?? {}, components);
  if (usual !== undefined) return usual;
  if (items !== undefined) return [exampleOf(items, components)];
  return ofType(Array.isArray(type) ? type[0] : type);
}

function objectOf({ properties = {}, required = [] }: JsonSchema, components: Components): object {
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.includes(name) || hasExample(property, components),
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, components)]));
}

/** Amounts and times of a record are too many to be all shown, with the same value each. */
function hasExample(property: JsonSchema, components: Components): boolean {
  return property.examples !== undefined || resolved(property, components).enum !== undefined;
}

function ofType(type: string | undefined): unknown {
  if (type === 'integer' || type === 'number') return 0;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  if (type === 'object') return {};
  return type === 'string' ? '…' : null;
}
