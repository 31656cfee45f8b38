import { z } from 'zod';
import type { Faults } from '../faults.js';
import type { Service } from '../service.js';
import { answerComponents } from './answers/answers.js';
import { OPERATIONS, type Operation, type QueryParameter } from './operations.js';

type Json = Record<string, unknown>;

/** OpenAPI 3.1 of the service's API: bodies from the very schemas that check them, parameters under their names of now. */
export function openapiDocument(service: Service): Json {
  const paths: Record<string, Json> = {};
  const isPage = service.faults.accountsShape === 'page';
  for (const operation of OPERATIONS) {
    if (operation.operationId === 'listPayouts' && !service.faults.payoutsList) continue;
    const path = operation.operationId === 'listPayouts' ? service.faults.payoutsPath : operation.path;
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation, service) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crypto payment service (sandbox)',
      version: '1',
      description: 'The merchant API as this sandbox serves it.',
      license: { name: 'Unlicensed', identifier: 'LicenseRef-Unlicensed' },
    },
    servers: [{ url: service.baseUrl }],
    security: [{ accessToken: [] }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({
      name,
      description: `${name} of the merchant`,
    })),
    paths,
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
      schemas: { ...withoutUnnamed(answerComponents(isPage ? [] : ['AccountPage']), service.faults), Error: ERROR },
      responses: { Refused: { description: 'Refused', content: jsonContent({ $ref: '#/components/schemas/Error' }) } },
    },
  };
}

const ERROR = {
  type: 'object',
  properties: { statusCode: { type: 'integer' }, code: { type: 'string' }, message: { type: 'string' } },
};

function operationObject(operation: Operation, service: Service): Json {
  const { operationId, summary, tag, section, body, status } = operation;
  const parameters = [...pathParameters(operation), ...queryParameters(operation, service), ...keyHeader(operation)];
  const done = {
    description: 'Done',
    ...answerHeaders(operation, service),
    content: jsonContent(answerSchema(operation, service)),
  };
  return {
    operationId,
    summary,
    description: section === null ? 'Not part of the specification.' : `Specification ${section}.`,
    tags: [tag],
    ...(operationId === 'listPublicAssets' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: jsonContent(bodySchema(body)) } } : {}),
    responses: {
      [status]: done,
      ...(operation.replays ? { 200: { ...done, description: 'What the same key made before' } } : {}),
      '4XX': { $ref: '#/components/responses/Refused' },
    },
  };
}

function answerSchema({ operationId, answer, isList }: Operation, { faults }: Service): Json {
  const isPage = operationId === 'listAccounts' && faults.accountsShape === 'page';
  const schema = { $ref: `#/components/schemas/${isPage ? 'AccountPage' : answer}` };
  return isList && !isPage ? { type: 'array', items: schema } : schema;
}

/** Specification 4.12: the total stands there when a page was asked for by its number. */
function answerHeaders({ operationId }: Operation, { faults }: Service): Json {
  return operationId === 'listTransactions'
    ? { headers: { [faults.countHeader]: { schema: { type: 'integer' } } } }
    : {};
}

function bodySchema(body: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  return schema;
}

const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } });

function pathParameters({ path }: Operation): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query, operationId }: Operation, { faults }: Service): Json[] {
  if (!query) return [];
  const names = faults.names[query.list] ?? {};
  return Object.entries(query.parameters).map(([name, kind]) => ({
    name: names[name] ?? name,
    in: 'query',
    ...(operationId === 'listSettlementPaymentMethods' ? { required: true } : {}),
    schema: querySchema(kind, operationId === 'listWebhookDeliveries' ? 50 : 20),
  }));
}

function querySchema(kind: QueryParameter, pageSize: number): Json {
  if (kind === 'text') return { type: 'string' };
  if (kind === 'time') return { type: 'string', format: 'date-time' };
  if (kind === 'page') return { type: 'integer', minimum: 1 };
  return kind === 'take'
    ? { type: 'integer', minimum: 1, maximum: 100, default: pageSize }
    : { type: 'string', enum: [...kind] };
}

function keyHeader({ replays }: Operation): Json[] {
  return replays ? [{ name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } }] : [];
}

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
function withoutUnnamed(
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
