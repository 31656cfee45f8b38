import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestCluster, type TestCluster } from '../support/cluster.js';
import { keepPool, TAKE, TEMPLATE_DATABASE } from '../support/database-pool.js';
import { until } from '../support/drill.js';

let cluster: TestCluster;
let pool: Awaited<ReturnType<typeof keepPool>>;
let said: string[];

beforeAll(async () => {
  said = [];
  cluster = await createTestCluster({ fsync: 'off' });
  await asked(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  pool = await keepPool(cluster, (line) => said.push(line));
});
afterAll(async () => {
  await pool.close();
  await cluster.close();
});

async function asked(sql: string): Promise<{ name: string }[]> {
  const client = new Client({ connectionString: cluster.url() });
  try {
    await client.connect();
    return (await client.query<{ name: string }>(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The next that is ready; the server may be away for a moment. */
async function taken(): Promise<string> {
  let name: string | undefined;
  await until('a database is ready', async () => {
    name = (await asked(TAKE))[0]?.name;
    return name !== undefined;
  });
  return name ?? '';
}

test('a database that is taken is replaced, and no other test is given the same', async () => {
  const names: string[] = [];
  for (let n = 0; n < 6; n += 1) names.push(await taken());
  expect(new Set(names).size).toBe(6);
  expect(said).toEqual([]);
});

test('a server that ends under the tests is started again, and said; then databases are ready as before', async () => {
  await taken();
  // None is left that could be given instead.
  await asked('DELETE FROM ready_databases');
  await cluster.stop('immediate');
  await until('it is said', async () => said.length > 0);
  expect(await taken()).toMatch(/^test_/);
  expect(said).toEqual(['the Postgres of this run ended under its tests, and is started again']);
});
