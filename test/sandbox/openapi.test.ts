import { describe, expect, it } from 'vitest';
import { openSandbox } from './support.js';

interface Document {
  paths: Record<string, Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>>;
}

describe('the OpenAPI document', () => {
  it('names each endpoint of the specification, and every parameter is taken', async () => {
    const sandbox = await openSandbox();
    const { paths } = (await sandbox.call<Document>('GET', '/sandbox/openapi.json')).body;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    expect(operations).toHaveLength(23);
    sandbox.control.setFaults({ unknownParameters: 'refuse' });
    for (const { path, method, parameters = [] } of operations) {
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => `${name}=`);
      const { body } = await sandbox.call(method.toUpperCase(), `${path.replace(/\{\w+\}/, 'BTC')}?${query.join('&')}`);
      expect(JSON.stringify(body), `${method} ${path}`).not.toMatch(/should not exist|\/v1\/|INTERNAL/);
    }
  });

  it('shows the limits that bodies are held to', async () => {
    const sandbox = await openSandbox();
    const { body } = await sandbox.call('GET', '/sandbox/openapi.json');
    const text = JSON.stringify(body);
    for (const limit of ['"maxLength":255', '"maxLength":120', '"maxLength":40', '"minLength":3', '"maximum":100']) {
      expect(text).toContain(limit);
    }
  });
});
