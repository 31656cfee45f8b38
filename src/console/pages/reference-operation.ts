import { type JsonSchema, resolved } from '../api/json-schema.js';
import type { DocumentOperation, Parameter } from '../api/openapi-document.js';
import { apiDocument } from '../api/serve-document.js';
import type { Page } from '../page.js';
import { code, facts, type Section, table } from '../view/sections.js';
import { badge, id, text } from '../view/values.js';
import { type Documented, documented, methodBadge, whoMay } from './reference.js';
import { fieldRows, limitsOf, plain, wordOf } from './schema-words.js';

/** One operation: what it takes, what it answers, when it refuses, and an example. */
export const referenceOperation: Page = {
  path: '/reference/:operation',
  title: 'Operation of the API',
  load: async (_deps, { params }) => {
    const found = documented().find(({ operation }) => operation.operationId === params['operation']);
    if (found === undefined) return null;
    const { method, path, operation } = found;
    return {
      title: operation.summary,
      badges: [methodBadge(method)],
      crumbs: [{ text: 'API', href: '/reference' }],
      intro: plain(operation.description),
      sections: [
        facts([
          ['Address', id(`/api/v1${path}`)],
          ['Who may', whoMay(operation)],
          ['Name', text(operation.operationId)],
        ]),
        ...parametersOf(operation),
        ...bodyOf(operation),
        code('Example', exampleOf(found)),
        ...answersOf(operation),
        refusalsOf(operation),
      ],
    };
  },
};

function parametersOf({ parameters }: DocumentOperation): Section[] {
  if (parameters.length === 0) return [];
  return [
    table(parameters, {
      caption: 'Parameters',
      columns: [
        ['Name', ({ name }) => text(name)],
        ['Where', ({ in: place }) => text(place)],
        ['Type', ({ schema }) => text(wordOf(schema, apiDocument().components.schemas))],
        ['Limits', ({ schema }) => limitsOf(schema)],
        ['Meaning', ({ description }) => text(plain(description))],
      ],
    }),
  ];
}

function bodyOf({ requestBody }: DocumentOperation): Section[] {
  const schema = requestBody?.content['application/json']?.schema;
  if (schema === undefined) return [];
  return [fieldTable(requestBody?.required ? 'Body' : 'Body, which may be left out', schema)];
}

/** A list is shown by what an item of it is; statuses that answer the same are shown once. */
function answersOf({ responses }: DocumentOperation): Section[] {
  const answers = Object.entries(responses).flatMap(([status, { description, content }]) => {
    const json = content?.['application/json'];
    return json === undefined ? [] : [{ status, description, ...json }];
  });
  const [first] = answers;
  if (first === undefined) return [];
  const title = answers.map(({ status, description }) => `${status}: ${description}`).join(' ');
  const { properties = {} } = resolved(first.schema, apiDocument().components.schemas);
  const items = properties['nextCursor'] === undefined ? undefined : properties['items']?.items;
  return [
    fieldTable(items === undefined ? title : `${title} Each of its items`, items ?? first.schema),
    code('An answer', JSON.stringify(first.example, null, 2)),
  ];
}

function fieldTable(caption: string, schema: JsonSchema): Section {
  return table(fieldRows(schema, apiDocument().components.schemas), {
    caption,
    columns: [
      ['Field', ({ name }) => text(name)],
      ['Type', ({ type }) => type],
      ['Meaning', ({ description }) => text(description)],
    ],
    empty: ['Any JSON', 'Its fields are not shown.'],
  });
}

function refusalsOf({ responses }: DocumentOperation): Section {
  const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 300);
  return table(refusals, {
    caption: 'Other answers',
    columns: [
      ['Status', ([status]) => badge(status, Number(status) >= 400 ? 'bad' : 'info')],
      ['When', ([, { description }]) => text(plain(description))],
    ],
  });
}

/** As it is typed into a shell; CONSOLE and TOKEN are set there. */
function exampleOf({ method, path, operation }: Documented): string {
  const { parameters, requestBody, security } = operation;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(given(parameters, name)));
  const take = parameters.some(({ name }) => name === 'take') ? '?take=100' : '';
  const body = requestBody?.content['application/json'];
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$CONSOLE/api/v1${filled}${take}"`,
    ...(security === undefined ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body.example)}'`]),
  ].join(' \\\n  ');
}

function given(parameters: readonly Parameter[], name: string): string {
  const { example } = parameters.find((one) => one.name === name) ?? {};
  return typeof example === 'string' ? example : '';
}
