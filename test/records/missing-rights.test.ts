import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../src/records/database.js';
import { createEmptyDatabase, onCluster, type TestDatabase } from '../support/database.js';

let shop: TestDatabase;
let user: string;
/** The database, as a user who has no rights there yet. */
let url: string;

beforeEach(async () => {
  shop = await createEmptyDatabase();
  user = `poor_${nameOf(shop)}`;
  await onCluster(`CREATE ROLE ${user} LOGIN PASSWORD 'hunter2-hunter2'`);
  url = Object.assign(new URL(shop.url), { username: user, password: 'hunter2-hunter2' }).href;
});
afterEach(async () => {
  await shop.db.raw(`DROP OWNED BY ${user}`);
  await shop.drop();
  await onCluster(`DROP ROLE ${user}`);
});

const nameOf = ({ url: of }: TestDatabase) => new URL(of).pathname.slice(1);
const refusal = () => migrate(url).then(String, (error: Error) => error.message);

test('who may create nothing reads all statements that are to be run', async () => {
  const onSchema = `GRANT CREATE ON SCHEMA "public" TO "${user}"`;
  const onDatabase = `GRANT CREATE ON DATABASE "${nameOf(shop)}" TO "${user}"`;
  const begins = `gives the user ${user} no right to create what is missing: let its owner run:`;
  expect(await refusal()).toContain(`${begins} ${onSchema}; ${onDatabase}.`);
  await shop.db.raw(onSchema);
  expect(await refusal()).toContain(`${begins} ${onDatabase}.`);
  const { rows } = await shop.db.raw("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace");
  expect(rows).toEqual([]);
  await shop.db.raw(onDatabase);
  expect((await migrate(url)).length).toBeGreaterThan(5);
  await shop.db.raw(
    'CREATE TABLE brought_by_an_extension (); ALTER EXTENSION plpgsql ADD TABLE brought_by_an_extension',
  );
  expect(await migrate(url)).toEqual([]);
});

test('who does not own our tables reads who does, and all statements that are to be run', async () => {
  await migrate(shop.url);
  expect(await refusal()).toContain(
    `holds a table "migrations" that ${user} may not read: if it is Tallyhook's, let its owner run GRANT SELECT ON migrations TO "${user}"; if not,`,
  );
  await shop.db.raw(`GRANT SELECT ON migrations TO ${user}`);
  const owner = new URL(shop.url).username;
  const [, grants = ''] =
    new RegExp(`run this as the user that made them, ${owner}, or let a superuser run: (.+)\\.$`).exec(
      await refusal(),
    ) ?? [];
  expect(grants.split('; ')).toEqual([
    `GRANT CREATE ON SCHEMA "public" TO "${user}"`,
    `GRANT USAGE, CREATE ON SCHEMA bullmq TO "${user}"`,
    `GRANT ${owner} TO "${user}"`,
  ]);
  await shop.db.raw(grants);
  expect(await migrate(url)).toEqual([]);
});
