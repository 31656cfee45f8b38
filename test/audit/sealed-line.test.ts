import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import { parseJson } from '../../src/domain/json-table/read-table.js';
import { readSealedRows, type SealedLog, sealedLogs } from '../../src/records/audit/sealed-logs.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();
const DAY = 86_400_000_000n;

/** As docs/audit.md has it; a time that JavaScript has no date for is its microseconds. */
function timeText(microseconds: bigint): string {
  const ms = microseconds / 1_000n - (microseconds % 1_000n < 0n ? 1n : 0n);
  if (ms > 8_640_000_000_000_000n) return String(microseconds);
  const rest = microseconds - ms * 1_000n;
  return new Date(Number(ms)).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

const actions = sealedLogs.find(({ name }) => name === 'actions') as SealedLog;

/** The lines of actions that are taken back at once, and what the database has of their details. */
async function written(given: readonly [at: bigint, json: string][]) {
  const trx = await database.db.transaction();
  try {
    for (const [at, json] of given)
      await trx.raw(
        `INSERT INTO actions (at, actor, action, details, outcome)
         VALUES ('epoch'::timestamptz + make_interval(days => ?::int) + (? || ' microseconds')::interval, 'a', 'look', ?::jsonb, 'done')`,
        [String(at / DAY), String(at % DAY), json],
      );
    const stored: { text: string }[] = await trx('actions').orderBy('id').select(trx.raw('details::text AS text'));
    const lines: unknown[] = [];
    for await (const rows of readSealedRows(trx, actions, { after: null, until: String(2n ** 62n) }))
      lines.push(...rows.map(({ line }) => line));
    return { lines, stored: stored.map(({ text }) => text) };
  } finally {
    await trx.rollback();
  }
}

it('writes any time to the microsecond, and any JSON with every digit, into the line that is sealed', async () => {
  // From 4712 BC to the last year that Postgres has.
  const microseconds = fc.oneof(
    fc.bigInt({ min: -200_000_000_000_000_000n, max: 9_000_000_000_000_000_000n }),
    fc.bigInt({ min: -20_000_000n, max: 20_000_000n }),
    fc.bigInt({ min: 1_700_000_000_000_000n, max: 1_900_000_000_000_000n }),
  );
  const number = fc.constantFrom('0.10', '-7', '12345678901234567890.000000000000000001');
  const details = fc.oneof(
    fc.json({ maxDepth: 3 }),
    number,
    number.map((one) => `{"b":[${one},"${one}"],"a":${one}}`),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(microseconds, details), { minLength: 1, maxLength: 20 }), async (given) => {
      const { lines, stored } = await written(given);
      expect(lines).toEqual(
        given.map(([at], n) =>
          expect.stringContaining(
            `"at":"${timeText(at)}","details":${JSON.stringify(canonicalJson(parseJson(stored[n] ?? '', 1_000)))},"id":`,
          ),
        ),
      );
    }),
    { numRuns: process.env['TALLYHOOK_LONG'] === undefined ? 75 : 1_500 },
  );
});
