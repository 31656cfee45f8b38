import { stringify } from 'lossless-json';
import { spaced, words } from '../domain/in-words.js';
import { fromJsonText, isJsonObject, type Json, toJsonText } from '../domain/json.js';
import { printJson, printLines } from './print.js';

/** One thing: JSON for programs, a line for each of its fields for people. `long`: fields of lines, or of JSON, which stand below. */
export function printOne(json: boolean, item: object, long: readonly string[] = []): void {
  if (json) printJson(item);
  else for (const { text, indent } of wordLines(item as { [key: string]: Json }, long)) printLines([text], indent);
}

/** `indent`: where what it says begins. */
interface Line {
  text: string;
  indent: number;
}

/** `openedAt: …` as `opened at  …`; what has fields of its own stands below its name, further in. */
function wordLines(item: { [key: string]: Json }, long: readonly string[], indent = ''): Line[] {
  const fields = Object.entries(item).map(([name, value]) => [labelOf(name), value, long.includes(name)] as const);
  const width = Math.max(0, ...fields.map(([label]) => label.length));
  return fields.flatMap(([label, value, isLong]) => {
    const below = isLong ? textBelow(value, `${indent}  `) : belowOf(value, long, `${indent}  `);
    if (below !== null) return [lineOf(`${indent}${label}`), ...below];
    const before = `${indent}${label.padEnd(width)}  `;
    return [lineOf(`${before}${valueText(value)}`, before.length)];
  });
}

const lineOf = (text: string, indent = 0): Line => ({ text, indent });

function textBelow(value: Json, indent: string): Line[] | null {
  const lines = indented(valueText(value)).trimEnd().split('\n');
  return lines.length === 1 ? null : lines.map((line) => lineOf(`${indent}${line}`, indent.length));
}

/** JSON with a line for each field; any other text as it is. */
function indented(said: string): string {
  try {
    return stringify(fromJsonText(said), undefined, 2) ?? said;
  } catch {
    return said;
  }
}

function belowOf(value: Json, long: readonly string[], indent: string): Line[] | null {
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? null : wordLines(value, long, indent);
  if (!Array.isArray(value) || !value.some(isJsonObject)) return null;
  return value.flatMap((one) => {
    const whole = lineOf(`${indent}${valueText(one)}`, indent.length);
    const [first = whole, ...rest] = isJsonObject(one) ? wordLines(one, long, indent) : [];
    return [{ ...first, text: `${indent.slice(0, -2)}- ${first.text.slice(indent.length)}` }, ...rest];
  });
}

/** In one line: fields with their names, a source as `poll 12`. */
export function valueText(value: Json | undefined): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!isJsonObject(value)) return toJsonText(value);
  const { type, ref, ...others } = value;
  if (typeof type === 'string' && typeof ref === 'string' && Object.keys(others).length === 0)
    return `${words(type)} ${ref}`;
  const fields = Object.entries(value).map(([name, one]) => `${labelOf(name)}: ${valueText(one)}`);
  return fields.length === 0 ? 'none' : fields.join(', ');
}

/** Names of ours in camel case as words; any other name as it is. */
function labelOf(name: string): string {
  if (!/^[a-z][A-Za-z0-9_]*$/.test(name)) return name;
  return spaced(words(name));
}
