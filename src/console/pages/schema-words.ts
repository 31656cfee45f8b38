import { type Components, type JsonSchema, nameOf, resolved } from '../api/json-schema.js';
import { list, none, quiet, text, type Value } from '../view/values.js';

/** A field of an answer or a body, as a row of a table. */
interface FieldRow {
  /** As `release.safe` or `lines[].amount`. */
  name: string;
  type: Value;
  description: string;
}

/** Fields of fields are shown up to here. */
const DEEPEST = 3;

/** The fields of an object and of the objects in it, in the order of the document. */
export function fieldRows(schema: JsonSchema, components: Components, prefix = '', depth = 1): FieldRow[] {
  const { properties = {}, required = [] } = withoutNull(resolved(schema, components), components).schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const { description = '' } = resolved(property, components);
    const type = typeOf(property, components, required.includes(name));
    const row = { name: `${prefix}${name}`, type, description: plain(description) };
    return depth === DEEPEST ? [row] : [row, ...inside(property, components, { prefix: row.name, depth })];
  });
}

function inside(
  given: JsonSchema,
  components: Components,
  { prefix, depth }: { prefix: string; depth: number },
): FieldRow[] {
  const { schema } = withoutNull(given, components);
  if (schema.items !== undefined) return fieldRows(schema.items, components, `${prefix}[].`, depth + 1);
  return schema.properties === undefined ? [] : fieldRows(schema, components, `${prefix}.`, depth + 1);
}

function typeOf(given: JsonSchema, components: Components, isRequired: boolean): Value {
  const { schema, isNullable } = withoutNull(given, components);
  const kind = text(wordOf(schema, components));
  const marks = [...(isNullable ? ['null'] : []), ...(isRequired ? [] : ['absent'])];
  return marks.length === 0 ? kind : list([kind, quiet(`may be ${marks.join(' or ')}`)]);
}

/** Words of the document are marked as in Markdown. */
export const plain = (description: string): string => description.replaceAll('`', '');

/** A schema's type in a word, or its values. */
export function wordOf(given: JsonSchema, components: Components): string {
  const named = nameOf(given);
  if (named !== null && isScalar(given)) return named.toLowerCase();
  const { enum: words, const: only, type, items, format } = resolved(given, components);
  if (words !== undefined) return words.map(String).join(', ');
  if (only !== undefined) return JSON.stringify(only);
  if (items !== undefined) return `list of ${wordOf(items, components)}`;
  if (format === 'date-time') return 'time';
  const one = Array.isArray(type) ? type.filter((each) => each !== 'null').join(' or ') : type;
  return one === undefined ? 'any JSON' : (typeWords[one] ?? one);
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
};

/** `anyOf` and lists of types only allow null; the rest is what counts. Amounts and times keep their names. */
function withoutNull(given: JsonSchema, components: Components): { schema: JsonSchema; isNullable: boolean } {
  if (isScalar(given)) return { schema: given, isNullable: false };
  const { anyOf, ...rest } = resolved(given, components);
  if (anyOf === undefined) return { schema: rest, isNullable: Array.isArray(rest.type) && rest.type.includes('null') };
  const others = anyOf.filter((one) => one.type !== 'null');
  const first = others[0] ?? {};
  const schema = isScalar(first) ? first : { ...rest, ...resolved(first, components) };
  return { schema, isNullable: others.length < anyOf.length };
}

const isScalar = (schema: JsonSchema): boolean => ['Amount', 'Time'].includes(nameOf(schema) ?? '');

/** What limits a parameter, in words. */
export function limitsOf({ minLength, maxLength, minimum, maximum, default: usual }: JsonSchema): Value {
  const limits = [
    ...(minLength !== undefined || maxLength !== undefined ? [`${minLength ?? 0} to ${maxLength ?? '…'} letters`] : []),
    ...(minimum !== undefined || maximum !== undefined ? [`${minimum ?? '…'} to ${maximum ?? '…'}`] : []),
    ...(usual === undefined ? [] : [`left out: ${JSON.stringify(usual)}`]),
  ];
  return limits.length === 0 ? none() : text(limits.join('; '));
}
