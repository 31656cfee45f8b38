import type { Knex } from 'knex';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { loggedDeliveries } from '../support/deliveries.js';

/** What the service sent held against the inbox, by content: a retry may bear a newer time, a recovered event another id. */
export async function holdEvents(
  db: Knex,
  sandbox: Sandbox,
): Promise<{ held: number; lost: string[]; doubled: number; strange: string[] }> {
  const sent = new Set((await loggedDeliveries(sandbox)).map(({ payload }) => contentOf(payload)));
  const bodies: Buffer[] = await db('inbox').pluck('body');
  const held = bodies.map((body) => contentOf(JSON.parse(body.toString('utf8'))));
  const known = new Set(held);
  return {
    held: held.length,
    lost: [...sent].filter((content) => !known.has(content)),
    doubled: held.length - known.size,
    strange: [...known].filter((content) => !sent.has(content)),
  };
}

const contentOf = (envelope: object): string => JSON.stringify({ ...envelope, timestamp: 0 });
