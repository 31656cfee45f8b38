import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.js';

/** What a fresh database has in its tables is kept aside; where nothing is, a table is emptied. */
const KEEP = `
  CREATE SCHEMA fresh;
  DO $$ DECLARE it record; has boolean; BEGIN
    FOR it IN SELECT oid::regclass AS name, relname FROM pg_class
              WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'bullmq'::regnamespace)
                AND relname NOT LIKE '%migration%' LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', it.name) INTO has;
      IF has THEN EXECUTE format('CREATE TABLE fresh.%I AS TABLE %s', it.relname, it.name); END IF;
    END LOOP;
  END $$`;

/** Rows that are append-only go as well: no trigger fires. */
const RESET = `DO $$ DECLARE it record; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR it IN SELECT oid::regclass AS name, relname, to_regclass('fresh.' || quote_ident(relname)) AS kept FROM pg_class
              WHERE relkind = 'r' AND relnamespace IN ('public'::regnamespace, 'bullmq'::regnamespace)
                AND relname NOT LIKE '%migration%' AND pg_relation_size(oid) > 0 LOOP
      EXECUTE format('DELETE FROM %s', it.name);
      IF it.kept IS NOT NULL THEN
        EXECUTE format('INSERT INTO %s OVERRIDING SYSTEM VALUE TABLE %s', it.name, it.kept);
      END IF;
    END LOOP;
    PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    FROM pg_sequences WHERE last_value IS NOT NULL;
  END $$`;

/** One database for the tests of the file that asks, each of which begins as with a fresh one: a tenth of the time that one takes. */
export function resettableDatabase(): TestDatabase & { reset(): Promise<void> } {
  let database: TestDatabase;
  const reset = async () => void (await database.db.raw(RESET));
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.db.raw(KEEP.replaceAll('?', '\\?'));
  });
  beforeEach(reset);
  afterAll(() => database.drop());
  return {
    get url() {
      return database.url;
    },
    get db() {
      return database.db;
    },
    drop: () => database.drop(),
    reset,
  };
}
