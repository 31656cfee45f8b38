import { z } from 'zod';
import { everyRole, type Role } from '../../domain/console-roles.js';
import { orderChangedShape } from '../../domain/views/order-shapes.js';
import { described } from '../../domain/views/parts.js';
import { kindOf, problemCodes } from '../problem.js';
import { answerSchema, type Components, type JsonSchema, requestSchema, resolved } from './json-schema.js';
import { type Group, groups, type Operation } from './operation.js';

interface Content {
  [type: string]: { schema: JsonSchema; example: unknown };
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  deprecated?: boolean;
  schema: JsonSchema;
  example?: unknown;
}

interface DocumentAnswer {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Content;
}

export interface DocumentOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: [Group];
  /** Who may, admin included. */
  'x-roles': Role[];
  /** Left out: a token. Empty: none. */
  security?: [];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, DocumentAnswer>;
}

export type OpenApiDocument = ReturnType<typeof openapiDocument>;

/** The API's own version: it changes when a program written against it would have to. */
const API_VERSION = '1';

const problem = z
  .looseObject({
    type: z.string().meta({ examples: ['urn:tallyhook:problem:bad_request'] }),
    title: z.string().meta({ examples: ['Bad request'] }),
    status: z.int().meta({ examples: [400] }),
    code: described(z.enum(problemCodes), 'Stable: what a program decides by.', 'bad_request'),
    detail: described(z.string(), 'What is wrong and what is accepted, in words.', 'take is "0".'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457. Some have more fields, such as `parameter` or `existing`.' });

const tagHeader = { ETag: { description: 'Of this very answer, for this role.', schema: { type: 'string' } } };

const usualRefusals = {
  400: 'A parameter or the body is not right; nothing was changed.',
  401: 'There is no token, or it is not one of CONSOLE_TOKENS.',
  405: 'Another method is asked for at this address; `Allow` names those that are possible.',
  500: 'A fault of Tallyhook: the log of its process has it.',
  503: 'The database or the queue can not be asked now; nothing was changed, try again.',
};
const bodyRefusals = { 413: 'The body is over 100 kB.', 415: 'The Content-Type of the body is not application/json.' };

/** OpenAPI 3.1 of the operations, made of the very schemas that check their requests. */
export function openapiDocument(operations: readonly Operation[]) {
  const schemas: Components = {};
  const paths: Record<string, Partial<Record<Operation['method'], DocumentOperation>>> = {
    '/openapi.json': { get: ofItself },
  };
  for (const operation of operations)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation, schemas) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tallyhook',
      version: API_VERSION,
      description:
        'What Tallyhook knows of the orders, payments, balances and webhooks of a store, and what can be done about it. New fields may come at any time; a field that is here stays.',
      license: { name: 'Unlicensed', identifier: 'LicenseRef-Unlicensed' },
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    tags: Object.entries(groups).map(([name, description]) => ({ name: name as Group, description })),
    paths,
    webhooks: { 'order.changed': { post: orderChanged(schemas) } },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token of CONSOLE_TOKENS.' } },
      schemas,
    },
  };
}

const ofItself: DocumentOperation = {
  operationId: 'getOpenApiDocument',
  summary: 'This document',
  description: 'Needs no token: it says what can be asked for, and nothing of what is answered.',
  tags: ['Operation'],
  'x-roles': [...everyRole],
  security: [],
  parameters: conditionOf({ method: 'get' }),
  responses: {
    200: {
      description: 'OpenAPI 3.1.',
      headers: tagHeader,
      content: { 'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.0' } } },
    },
    304: { description: 'It is what If-None-Match names.', headers: tagHeader },
  },
};

/** What Tallyhook sends, by `order.changed`: to STORE_CALLBACK_URL. */
function orderChanged(schemas: Components) {
  const schema = answerSchema(orderChangedShape, schemas);
  return {
    operationId: 'orderChanged',
    summary: 'An order changed',
    description:
      'Sent to STORE_CALLBACK_URL, signed by Standard Webhooks with STORE_CALLBACK_SECRET. At least once, and of an order never an older state after a newer one.',
    tags: ['Orders' satisfies Group],
    security: [],
    parameters: Object.entries(signedHeaders).map(([name, description]): Parameter => {
      return { name, in: 'header', required: true, description, schema: { type: 'string' } };
    }),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: exampleOf(schema, schemas) } } satisfies Content,
    },
    responses: {
      '2XX': { description: 'It is taken.' },
      default: { description: 'It is sent again later, with growing pauses, for a day and a half.' },
    },
  };
}

const signedHeaders = {
  'webhook-id': 'The same at every attempt: by it you know what you have taken already.',
  'webhook-timestamp': 'Of the attempt, in seconds.',
  'webhook-signature': 'v1 and the signature: any library of standardwebhooks.com checks it.',
};

function operationObject(operation: Operation, schemas: Components): DocumentOperation {
  const { id, summary, description = '', group, roles, body } = operation;
  const may = roles === undefined ? everyRole : [...roles, 'admin' as const];
  const who = roles === undefined ? '' : `Needs the role ${may.join(' or ')}.`;
  return {
    operationId: id,
    summary,
    description: [description, who].filter((part) => part !== '').join(' '),
    tags: [group],
    'x-roles': [...may],
    parameters: [...pathParameters(operation), ...queryParameters(operation), ...conditionOf(operation)],
    ...(body === undefined ? {} : { requestBody: bodyOf(body) }),
    responses: { ...answersOf(operation, schemas), ...refusalsOf(operation, schemas) },
  };
}

function pathParameters({ params = {} }: Operation): Parameter[] {
  return Object.entries(params).map(([name, { description, example, limits }]) => {
    return { name, in: 'path', required: true, description, schema: { type: 'string', ...limits }, example };
  });
}

function queryParameters({ query }: Operation): Parameter[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = requestSchema(query);
  return Object.entries(properties).map(([name, given]) => {
    const { description = '', examples, deprecated, ...schema } = given;
    const old = deprecated === true ? { deprecated: true } : {};
    const example = examples === undefined ? {} : { example: examples[0] };
    return { name, in: 'query', required: required.includes(name), description, ...old, schema, ...example };
  });
}

function conditionOf({ method, takesIfMatch = false }: Pick<Operation, 'method' | 'takesIfMatch'>): Parameter[] {
  const header = (name: string, description: string): Parameter => {
    return { name, in: 'header', required: false, description, schema: { type: 'string' } };
  };
  const get = header(
    'If-None-Match',
    'An ETag that was given before: 304 without a body where nothing has changed since.',
  );
  const change = header(
    'If-Match',
    'The ETag that `get` of the same address answered: 412 where the order is another since.',
  );
  return takesIfMatch ? [change] : method === 'get' ? [get] : [];
}

function bodyOf(body: z.ZodType): { required: boolean; content: Content } {
  const schema = requestSchema(body);
  const content = { 'application/json': { schema, example: exampleOf(schema, {}) } };
  return { required: (schema.required ?? []).length > 0, content };
}

function answersOf({ method, answers }: Operation, schemas: Components): Record<string, DocumentAnswer> {
  const headers = tagHeader;
  const documented = Object.entries(answers).map(([status, { description, shape }]): [string, DocumentAnswer] => {
    const schema = answerSchema(shape, schemas);
    const content = { 'application/json': { schema, example: exampleOf(schema, schemas) } };
    return [status, { description, ...(method === 'get' ? { headers } : {}), content }];
  });
  const unchanged = { description: 'It is what If-None-Match names.', headers };
  return { ...Object.fromEntries(documented), ...(method === 'get' ? { 304: unchanged } : {}) };
}

function refusalsOf({ method, roles, refusals = {} }: Operation, schemas: Components): Record<string, DocumentAnswer> {
  const schema = answerSchema(problem, schemas);
  const forbidden = roles === undefined ? {} : { 403: 'The token’s role may not.' };
  const ofBody = method === 'get' ? {} : bodyRefusals;
  const all = Object.entries({ ...usualRefusals, ...forbidden, ...ofBody, ...refusals });
  return Object.fromEntries(
    all.map(([status, description]) => {
      const kind = kindOf(Number(status));
      const example = { ...kind, title: description, status: Number(status), detail: description };
      return [status, { description, content: { 'application/problem+json': { schema, example } } }];
    }),
  );
}

/**
 * An example that the schema allows, the same each time: its own where it has one, otherwise of its parts. Of an object what
 * may be absent is left out unless it has an example.
 */
export function exampleOf(given: JsonSchema, components: Components): unknown {
  const schema = resolved(given, components);
  const { examples, enum: words, default: usual, anyOf, type, items } = schema;
  if (examples !== undefined) return examples[0];
  if (schema.const !== undefined) return schema.const;
  if (words !== undefined) return words[0];
  if (schema.properties !== undefined) return objectOf(schema, components);
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
