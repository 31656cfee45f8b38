import { parseAst } from 'vitest/node';

/** A small change of a module that a test should notice. */
export interface Mutant {
  /** Of the source, in UTF-16 units: what is replaced. */
  start: number;
  end: number;
  replacement: string;
  /** From 1. */
  line: number;
  /** What names it as long as its surroundings stay: the function, and the change between its neighbours. */
  name: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

interface Change {
  start: number;
  end: number;
  replacement: string;
}

type Rule = (node: Node, source: string) => Change[];

const other = new Map(
  Object.entries({
    '&&': '||',
    '||': '&&',
    '===': '!==',
    '!==': '===',
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '+=': '-=',
    '-=': '+=',
    some: 'every',
    every: 'some',
    max: 'min',
    min: 'max',
    startsWith: 'endsWith',
    endsWith: 'startsWith',
  }),
);
/** Calls that can be left out: what they are called on takes their place. */
const LEFT_OUT = new Set(['filter', 'sort', 'toSorted', 'slice', 'reverse', 'toReversed', 'trim', 'toLowerCase']);
/** Words for people: nothing hangs on them. */
const WORDS = /\S\s+\S/;
const LOGGING = /^(?:\w+\.)*log\??\./;
/** Types, and names that are not values. */
const NO_CODE = /^(TSType(?!Assertion)|TSInterface|TSEnum|TSDeclare|TSModule|Import|ExportAll)/;
const TYPE_KEYS = new Set(['typeAnnotation', 'typeParameters', 'typeArguments', 'returnType', 'superTypeArguments']);
const WRAPPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'ParenthesizedExpression']);

const all = (node: unknown, ...replacements: string[]): Change[] =>
  isNode(node) ? replacements.map((replacement) => ({ start: node.start, end: node.end, replacement })) : [];

const between: Rule = ({ left, right, operator }, source) => {
  if (!isNode(left) || !isNode(right)) return [];
  const start = source.indexOf(String(operator), left.end);
  const swapped = other.get(String(operator));
  return swapped === undefined ? [] : [{ start, end: start + String(operator).length, replacement: swapped }];
};

const isTrueOrFalse: Rule = ({ test }) => all(test, 'true', 'false');

/** A condition of several: the other operator, and each side alone. */
const logical: Rule = (node, source) => {
  const sides = [node['left'], node['right']].filter(isNode);
  const alone = sides.map((side) => `(${source.slice(side.start, side.end)})`);
  return node['operator'] === '??' ? all(node, alone[0]!) : [...between(node, source), ...all(node, ...alone)];
};

const unary: Rule = (node, source) => {
  const { argument, operator } = node;
  if (!isNode(argument) || (operator !== '!' && operator !== '-')) return [];
  return all(node, `(${source.slice(argument.start, argument.end)})`);
};

const literal: Rule = (node) => {
  const { value } = node;
  if (typeof value === 'string') return value === '' || WORDS.test(value) ? [] : all(node, "''");
  if (typeof value === 'number') return all(node, String(value + 1));
  return typeof value === 'boolean' ? all(node, String(!value)) : [];
};

const template: Rule = (node, source) => (WORDS.test(source.slice(node.start, node.end)) ? [] : all(node, '``'));

const call: Rule = (node, source) => {
  const { callee } = node;
  if (!isNode(callee) || callee.type !== 'MemberExpression') return [];
  const { object, property } = callee;
  if (!isNode(object) || !isNode(property)) return [];
  const name = source.slice(property.start, property.end);
  const left = LEFT_OUT.has(name) ? all(node, source.slice(object.start, object.end)) : [];
  const swapped = other.get(name);
  return swapped === undefined ? left : [...left, ...all(property, swapped)];
};

const optional: Rule = (node, source) => {
  const { object, callee, property } = node;
  const before = object ?? callee;
  if (node['optional'] !== true || !isNode(before)) return [];
  const start = source.indexOf('?.', before.end);
  return [{ start, end: start + 2, replacement: property === undefined || node['computed'] === true ? '' : '.' }];
};

const statement: Rule = (node, source) => (LOGGING.test(source.slice(node.start, node.end)) ? [] : all(node, ';'));

const functionBody: Rule = ({ body }) =>
  isNode(body) ? all(body, body.type === 'BlockStatement' ? '{}' : 'undefined') : [];

const rules: Record<string, Rule> = {
  IfStatement: isTrueOrFalse,
  ConditionalExpression: isTrueOrFalse,
  WhileStatement: ({ test }) => all(test, 'false'),
  LogicalExpression: logical,
  BinaryExpression: between,
  AssignmentExpression: between,
  UnaryExpression: unary,
  Literal: literal,
  TemplateLiteral: template,
  ArrayExpression: (node) => (Array.isArray(node['elements']) && node['elements'].length > 0 ? all(node, '[]') : []),
  ObjectExpression: (node) =>
    Array.isArray(node['properties']) && node['properties'].length > 0 ? all(node, '({})') : [],
  CallExpression: (node, source) => [...call(node, source), ...optional(node, source)],
  MemberExpression: optional,
  ReturnStatement: ({ argument }) =>
    isNode(argument) && argument.type !== 'Literal' ? all(argument, 'undefined') : [],
  ExpressionStatement: statement,
  ForOfStatement: ({ body }) => all(body, '{}'),
  FunctionDeclaration: functionBody,
  ArrowFunctionExpression: functionBody,
  FunctionExpression: functionBody,
};

/** Every mutant of a module of TypeScript, in the order of its text. */
export function mutantsOf(source: string): Mutant[] {
  const found: (Change & { within: string })[] = [];
  visit(parseAst(source, { lang: 'ts' }), source, '', (change) => found.push(change));
  const seen = new Map<string, number>();
  const changes = new Map(found.map((change) => [`${change.start} ${change.end} ${change.replacement}`, change]));
  return [...changes.values()]
    .filter(({ start, end, replacement }) => source.slice(start, end) !== replacement)
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map(({ within, ...change }) => {
      const shown = `${within}: ${show(change, source)}`;
      const nth = (seen.get(shown) ?? 0) + 1;
      seen.set(shown, nth);
      const line = source.slice(0, change.start).split('\n').length;
      return { ...change, line, name: nth === 1 ? shown : `${shown} (${nth})` };
    });
}

function visit(
  value: unknown,
  source: string,
  within: string,
  report: (change: Change & { within: string }) => void,
): void {
  if (Array.isArray(value)) return value.forEach((one) => visit(one, source, within, report));
  if (!isNode(value) || NO_CODE.test(value.type)) return;
  if (value.type === 'ExpressionStatement' && LOGGING.test(source.slice(value.start, value.end))) return;
  const here = nameOf(value, source) ?? within;
  for (const change of rules[value.type]?.(value, source) ?? []) report({ ...change, within: here });
  for (const [key, child] of Object.entries(value)) {
    const isName = (key === 'key' || key === 'property') && value['computed'] !== true;
    if (!isName && (!TYPE_KEYS.has(key) || (WRAPPED.has(value.type) && key === 'expression')))
      visit(child, source, here, report);
  }
}

function nameOf(node: Node, source: string): string | undefined {
  const name = node['id'] ?? (node.type === 'MethodDefinition' ? node['key'] : undefined);
  return isNode(name) && name.type === 'Identifier' ? source.slice(name.start, name.end).split(':')[0] : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('`', "'");
const cut = (text: string): string => (text.length > 70 ? `${text.slice(0, 45)} … ${text.slice(-22)}` : text);

/** The change, between some of what stands around it on its line. */
function show({ start, end, replacement }: Change, source: string): string {
  const line = source.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = source.indexOf('\n', end);
  const before = flat(source.slice(Math.max(line, start - 30), start)).trimStart();
  const after = flat(source.slice(end, Math.min(lineEnd < 0 ? source.length : lineEnd, end + 30))).trimEnd();
  return `${before}[${cut(flat(source.slice(start, end)))} → ${cut(flat(replacement))}]${after}`;
}
