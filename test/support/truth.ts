import type { Knex } from 'knex';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';

/** Every payment of the service that last changed before the moment, against ours: all fields, and that ours is verified. */
export async function differingRecords(
  db: Knex,
  sandbox: Sandbox,
  { changedBefore }: { changedBefore: string },
): Promise<{ compared: number; differing: string[] }> {
  const response = await fetch(`${sandbox.url}/sandbox/truth?changedBefore=${encodeURIComponent(changedBefore)}`);
  const truth = (await response.json()) as { paymentIntents: { id: string }[] };
  const rows: { id: string; shown: string; verified: boolean }[] = await db('payment_intents').select(
    'id',
    'shown',
    'verified',
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  const differing = truth.paymentIntents.filter((theirs) => {
    const row = ours.get(theirs.id);
    return !row?.verified || sortedJson(JSON.parse(row.shown)) !== sortedJson(theirs);
  });
  return { compared: truth.paymentIntents.length, differing: differing.map(({ id }) => id) };
}

/** JSON text that does not depend on the order of names. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
