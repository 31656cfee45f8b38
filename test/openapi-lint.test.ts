import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { apiDocument } from '../src/console/api/serve-document.js';
import { openSandbox } from './sandbox/support.js';
import { isAll } from './support/sizes.js';

type Config = Parameters<typeof createConfig>[0];

/** What a public linter has to say of a document: rule, message, place. */
async function problemsOf(document: unknown, config: Config): Promise<unknown[][]> {
  const problems = await lintFromString({ source: JSON.stringify(document), config: await createConfig(config) });
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
}

const OWN_RESPONSES = '#/paths/~1openapi.json/get/responses';

test('the OpenAPI document is valid by a public linter, examples included', async () => {
  // `deliveries/recover` stands beside `deliveries/{id}`, which the specification of OpenAPI allows: fixed names go first.
  const found = await problemsOf(apiDocument(), {
    extends: ['recommended-strict'],
    rules: {
      'no-ambiguous-paths': 'off',
      'no-invalid-media-type-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
    },
  });
  // The document alone refuses nobody.
  const isOwn = ([rule, , at]: unknown[]) => rule === 'operation-4xx-response' && at === OWN_RESPONSES;
  expect(found.filter((one) => !isOwn(one))).toEqual([]);
});

test('the sandbox’s OpenAPI document is valid by a public linter, whatever the names are', async () => {
  const sandbox = await openSandbox();
  const changed = {
    payoutsPath: '/v1/withdrawals',
    names: { payouts: { status: 'state' } },
    accountsShape: 'page' as const,
  };
  for (const faults of isAll ? [{}, changed] : [changed]) {
    sandbox.control.setFaults(faults);
    const { body } = await sandbox.call('GET', '/sandbox/openapi.json');
    expect(await problemsOf(body, { extends: ['recommended'] })).toEqual([]);
  }
});
