import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createApi, routePath } from '../../src/console/api/api-router.js';
import { operations } from '../../src/console/api/operations.js';
import { apiDocument, serveDocument } from '../../src/console/api/serve-document.js';
import { referenceOperation } from '../../src/console/pages/reference.js';
import * as wire from '../../src/service-api/answer-records.js';
import { testConsole } from '../support/console.js';

const { paths, components } = apiDocument();
const documented = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('needs no token, and can be asked for whether it has changed', async () => {
    const { app } = testConsole(undefined as never);
    const answer = await request(app).get('/api/v1/openapi.json').expect(200);
    expect(answer.body).toEqual(JSON.parse(JSON.stringify(apiDocument())));
    const tag = answer.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]+"$/);
    const again = await request(app).get('/api/v1/openapi.json').set('If-None-Match', tag);
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('has every route, and nothing that is none', () => {
    const routers = [serveDocument(), createApi({} as never)] as unknown as Layered[];
    // Any other method of an address is answered with 405.
    const routes = routers
      .flatMap(routesOf)
      .filter((one) => !one.startsWith('_all '))
      .toSorted();
    const named = documented.map(({ path, method }) => `${method} ${routePath(path)}`);
    expect(routes.length).toBeGreaterThan(50);
    expect(named.toSorted()).toEqual(routes);
  });

  it('names every parameter of an address, and each operation once', () => {
    for (const { path, operation } of documented) {
      const named = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`);
      expect(named, path).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
    const ids = documented.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has each answer of an operation on its reference page, once; mostly there is one, whatever the status of its success', async () => {
    let several = 0;
    for (const { path, operation } of documented) {
      const answers = Object.values(operation.responses).flatMap(({ content }) => content?.['application/json'] ?? []);
      const shapes = new Set(answers.map(({ schema }) => JSON.stringify(schema)));
      const page = await referenceOperation.load(
        {} as never,
        { params: { operation: operation.operationId } } as never,
      );
      const sections = page?.sections.flatMap((one) => (one.is === 'calm' ? one.sections : [one]));
      const shown = sections?.filter((one) => one.is === 'code' && one.title === 'An answer');
      expect(shown?.length, path).toBe(shapes.size);
      if (shapes.size > 1) several += 1;
    }
    expect(several).toBe(operations.filter((one) => one.asks !== undefined).length);
  });

  it('shows the limits that requests are held to', () => {
    const bodyOf = (path: string, method: 'post' | 'put' = 'post') =>
      paths[path]?.[method]?.requestBody?.content['application/json']?.schema;
    expect(bodyOf('/breaks/{id}/resolve')).toMatchObject({
      properties: { note: { minLength: 1, maxLength: 2_000 } },
      required: ['note'],
      additionalProperties: false,
    });
    expect(bodyOf('/runs')).toMatchObject({ properties: { full: { type: 'boolean', default: false } } });
    const expected = bodyOf('/orders/{reference}', 'put');
    expect(expected).toMatchObject({ required: ['amount', 'currency'] });
    const fits = (field: string, given: string) =>
      new RegExp(expected?.properties?.[field]?.pattern ?? '(?!)').test(given);
    expect(['0.01', '12', '10', '0', '0.0', ''].map((given) => fits('amount', given))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(['EUR', 'USDT.TRC20', 'eur', ''].map((given) => fits('currency', given))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const take = paths['/orders']?.get?.parameters.find(({ name }) => name === 'take');
    expect(take?.schema).toMatchObject({ type: 'integer', minimum: 1, maximum: 500 });
    const many = paths['/orders']?.get?.parameters.find(({ name }) => name === 'reference');
    expect(many?.schema).toEqual({ type: 'array', maxItems: 200, items: { type: 'string' } });
    const [reference] = paths['/orders/{reference}']?.put?.parameters ?? [];
    expect(reference?.schema).toEqual({ type: 'string', minLength: 1, maxLength: 1_000 });
    const old = paths['/orders/{reference}']?.get?.parameters.filter(({ deprecated }) => deprecated === true);
    expect(old?.map(({ name }) => name)).toEqual(['asOf']);
    expect(paths['/breaks/{id}/write-off']?.post?.['x-roles']).toEqual(['finance', 'admin']);
  });

  it('has each list of ours that is closed as its words', () => {
    const wordsIn = (name: string, field: string): unknown => {
      const found = field
        .split('.')
        .reduce((schema, part) => schema.properties?.[part] ?? {}, components.schemas[name] ?? {});
      return found.enum ?? found.anyOf?.[0]?.enum ?? [];
    };
    expect(wordsIn('Order', 'status')).toContain('shared_reference');
    expect(wordsIn('Order', 'release.reason')).toContain('proven');
    expect(wordsIn('OrderAsOf', 'status')).toEqual(wordsIn('Order', 'status'));
    expect(wordsIn('OrderAsOf', 'release.reason')).toContain('unknown');
    expect(wordsIn('RecordAsOf', 'kind')).toContain('payin');
    expect(wordsIn('RecordAsOf', 'knownBy.type')).toEqual(wordsIn('Change', 'source.type'));
    expect(wordsIn('Run', 'kind')).toEqual(wordsIn('Coverage', 'kind'));
    expect(wordsIn('Rejection', 'reason')).toContain('invalid_signature');
    expect(wordsIn('Entry', 'recordKind')).toContain('payin');
    expect(wordsIn('Alert', 'severity')).toEqual(['critical', 'warning']);
    expect(wordsIn('Problem', 'code')).toEqual(expect.arrayContaining(['gone', 'not_proven_in_time', 'internal']));
  });

  it('says of each operation how it may be refused', () => {
    for (const { path, method, operation } of documented.filter(({ operation }) => operation.security === undefined)) {
      const refusals = ['400', '401', '405', '500', '503', ...(method === 'get' ? [] : ['413', '415'])];
      expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(expect.arrayContaining(refusals));
    }
  });

  it('has what the store is sent', () => {
    const { post } = apiDocument().webhooks['order.changed'];
    expect(post.parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    expect(post.requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/OrderChanged' });
    expect(components.schemas['OrderChanged']?.properties?.['data']).toEqual({ $ref: '#/components/schemas/Order' });
  });

  it('names each field of a record that the client knows', () => {
    const schemas = {
      PaymentIntent: wire.directPayment,
      Payin: wire.payin,
      Invoice: wire.invoice,
      Product: wire.product,
      Payout: wire.payout,
      Account: wire.account,
      SettlementAccount: wire.settlementAccount,
      Balance: wire.balance,
      Asset: wire.publicAsset,
      Endpoint: wire.webhookEndpoint,
    };
    for (const [name, { shape }] of Object.entries(schemas)) {
      const named = Object.keys(components.schemas[name]?.properties ?? {});
      expect(
        Object.keys(shape).filter((field) => !named.includes(field)),
        name,
      ).toEqual([]);
    }
  });
});

interface Layered {
  stack: { route?: { path: string; methods: Record<string, boolean> } }[];
}

function routesOf({ stack }: Layered): string[] {
  return stack.flatMap(({ route }) =>
    route === undefined ? [] : Object.keys(route.methods).map((method) => `${method} ${route.path}`),
  );
}
