import { everyRole } from '../../domain/console-roles.js';
import { grouped } from '../../domain/grouped.js';
import { type JsonSchema, resolved } from '../api/json-schema.js';
import type { DocumentOperation, Parameter } from '../api/openapi-document.js';
import { apiDocument } from '../api/serve-document.js';
import type { Page } from '../page.js';
import { calm, code, facts, factsPanel, panel, type Section, table } from '../view/sections.js';
import { badge, id, link, list, text, type Value } from '../view/values.js';
import { fieldRows, limitsOf, plain, wordOf } from './schema-words.js';

/** An operation of the document, with where it stands there. */
interface Documented {
  method: string;
  path: string;
  operation: DocumentOperation;
}

function documented(): Documented[] {
  return Object.entries(apiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** The document as people read it. */
export const reference: Page = {
  path: '/reference',
  title: 'API',
  group: 'Operation',
  load: async () => ({
    intro:
      'What programs can ask of this Tallyhook. The same as OpenAPI 3.1, for machines, is at /api/v1/openapi.json.',
    sections: [...calm('how to ask', [howToAsk]), ...groups()],
  }),
};

const howToAsk = factsPanel('How to ask', [
  ['Document', link('/api/v1/openapi.json', '/api/v1/openapi.json')],
  ['Token', list([id('Authorization: Bearer <token>'), text('one of CONSOLE_TOKENS; each has a role')])],
  [
    'Lists',
    text(
      'newest first; take up to 500, then ask again with cursor = nextCursor until that is null; filters by the fields’ own names',
    ),
  ],
  ['Amounts and times', text('decimal strings without trailing zeros; ISO 8601, UTC')],
  [
    'Errors',
    text('RFC 9457 problems, application/problem+json: title, status and detail, which says what is accepted'),
  ],
  [
    'Unchanged?',
    text('every answer to GET has an ETag: send it as If-None-Match, and what has not changed is 304 without a body'),
  ],
  ['Personal data', text('masked for the role viewer')],
]);

function groups(): Section[] {
  const byGroup = grouped(documented(), ({ operation }) => operation.tags[0]);
  return apiDocument().tags.map(({ name, description }) => groupOf(name, description, byGroup.get(name) ?? []));
}

function groupOf(name: string, description: string, own: readonly Documented[]): Section {
  const operations = table(own, {
    caption: `Operations: ${name}`,
    showCaption: false,
    onPhone: 'brief',
    calm: { label: own.length === 1 ? 'operation' : 'operations', is: () => true },
    columns: [
      ['Method', ({ method }) => methodBadge(method)],
      ['Address', ({ path, operation }) => link(path, `/reference/${operation.operationId}`)],
      ['What it does', ({ operation }) => text(operation.summary)],
      ['Who may', ({ operation }) => whoMay(operation)],
    ],
  });
  return panel(name, [operations], { intro: description });
}

const methodBadge = (method: string): Value => badge(method, method === 'GET' ? 'info' : 'warn');

function whoMay({ 'x-roles': roles, security }: DocumentOperation): Value {
  if (security !== undefined) return text('everybody, without a token');
  return text(roles.length === everyRole.length ? 'every role' : roles.join(', '));
}

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
      intro: plain(operation.description),
      sections: [
        facts([
          ['Address', id(`/api/v1${path}`)],
          ['Who may', whoMay(operation)],
          ['Name', text(operation.operationId)],
        ]),
        ...parametersOf(operation),
        ...bodyOf(operation),
        ...calm('an example', [code('Example', exampleOf(found))]),
        ...calm('what it answers', answersOf(operation)),
        ...calm('other answers', [refusalsOf(operation)]),
      ],
    };
  },
};

function parametersOf({ parameters }: DocumentOperation): Section[] {
  if (parameters.length === 0) return [];
  return [
    table(parameters, {
      caption: 'Parameters',
      onPhone: 'brief',
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
  const alike = grouped(answers, ({ schema }) => JSON.stringify(schema));
  return [...alike.values()].flatMap((same) => {
    const [{ schema, example }] = same as [(typeof same)[number]];
    const title = same.map(({ status, description }) => `${status}: ${description}`).join(' ');
    const { properties = {} } = resolved(schema, apiDocument().components.schemas);
    const items = properties['nextCursor'] === undefined ? undefined : properties['items']?.items;
    return [
      fieldTable(items === undefined ? title : `${title} Each of its items`, items ?? schema),
      code('An answer', JSON.stringify(example, null, 2)),
    ];
  });
}

function fieldTable(caption: string, schema: JsonSchema): Section {
  return table(fieldRows(schema, apiDocument().components.schemas), {
    caption,
    onPhone: 'brief',
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
    onPhone: 'brief',
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
