import type { Knex } from 'knex';
import type { NotedWrite } from '../../src/service-api/key-store.js';

/** Writes a call down as a library of the version before 0049 does. */
export async function insertAsBefore(db: Knex, { operation, key, hash, request }: NotedWrite): Promise<void> {
  await db.raw(
    `INSERT INTO service_writes (operation, key, hash, request, leased_until)
     VALUES (:operation, :key, :hash, :request, now())
     ON CONFLICT (operation, key) DO UPDATE SET hash = excluded.hash, request = excluded.request, status = 'open'`,
    { operation, key, hash, request } as Record<string, string>,
  );
}
