import fc from 'fast-check';
import { expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import { type Person, verdicts } from '../../src/domain/two-people.js';
import { askDecision, decide } from '../../src/finance/decisions/decisions.js';
import { createLog } from '../../src/log.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { useDatabase } from '../support/database.js';
import { bookFindings } from '../support/posted-books.js';

const RUNS = process.env['TALLYHOOK_LONG'] === undefined ? 25 : 300;
const BREAKS = 4;
const database = useDatabase();

type Asker = Person & { is: string };

/** Names that are one person, said here once more. */
const people: readonly Asker[] = [
  { name: 'fina', role: 'finance', is: 'fina' },
  { name: 'Fina', role: 'admin', is: 'fina' },
  { name: 'os:fina', role: null, is: 'fina' },
  { name: 'felix', role: 'finance', is: 'felix' },
  { name: 'omar', role: 'operator', is: 'omar' },
  { name: 'os:root', role: null, is: 'root' },
];
const isOf = (name: string) => people.find((one) => one.name === name)?.is;

const by = fc.constantFrom(...people, ...people.filter(({ role }) => role === 'finance'));
const picked = fc.uniqueArray(fc.nat(BREAKS - 1), { minLength: 1, maxLength: 2 });
const one = fc.nat(2);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant('ask' as const), by, picked }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constantFrom(...verdicts, 'approve' as const), by, one }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('change' as const), one: fc.nat(BREAKS - 1) }) },
);

const [fina, , , felix] = people as readonly [Asker, Asker, Asker, Asker];
/** One that is approved, and one that closes before it is. */
const EACH: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[][] = [
  [{ is: 'ask', by: fina, picked: [0] }],
  [{ is: 'approve', by: felix, one: 0 }],
  [{ is: 'ask', by: fina, picked: [1] }],
  [{ is: 'change', one: 1 }],
  [{ is: 'approve', by: felix, one: 1 }],
];

it('whatever people ask, decide and change, one after the other or at once, a break is written off by two of them and once', async () => {
  const { db } = database;
  const now = () => new Date();
  const settings = { table: defaultContract.movements, timeZone: 'UTC', currency: 'USD', chart: defaultChart };
  const deps = { ...settings, db, now, log: createLog('silent') };
  let world = 0;
  let written = 0;
  let expired = 0;
  const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 8, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(groups, async (given) => {
      world += 1;
      const found = Array.from({ length: BREAKS }, (_, n) => ({
        kind: 'payout_stuck' as const,
        entity: { kind: 'payout' as const, id: `po_${world}_${n}` },
        evidence: {},
      }));
      await db.transaction((trx) => openBreaks(trx, found));
      const ids = await db('breaks').whereLike('entity_id', `po_${world}_%`).orderBy('id').pluck('id');
      const kept: string[] = [];
      const play = async (what: (typeof given)[number][number]): Promise<void> => {
        if (what.is === 'change') {
          await decideBreak(db, ids[what.one] ?? '', 'resolve', { actor: 'omar', note: 'fixed' });
        } else if (what.is === 'ask') {
          const input = { ids: what.picked.map((n) => ids[n] ?? '') };
          const asked = await askDecision(deps, { action: 'write off break', input, reason: 'known' }, what.by);
          if (asked.outcome === 'waits') kept.push(asked.decision.id);
        } else {
          await decide(deps, { id: kept[what.one] ?? '', verdict: what.is, note: 'seen' }, what.by);
        }
      };
      // Of those that are at once, who meets another's change may be told to try again; nothing is half done.
      for (const group of given) await Promise.allSettled(group.map(play));
      const decisions = await db('decisions').whereIn('id', kept);
      const done = await db('actions')
        .where({ action: 'write off break', outcome: 'done' })
        .whereIn(
          'target',
          ids.map((id) => `break ${id}`),
        );
      for (const { actor, details, target } of done) {
        const decision = decisions.find(({ id }) => id === details.decision);
        expect(isOf(details.approvedBy)).not.toBe(isOf(actor));
        expect(people.find(({ name }) => name === details.approvedBy)?.role).toMatch(/finance|admin/);
        expect(decision).toMatchObject({ state: 'approved', asked_by: actor, decided_by: details.approvedBy });
        expect(JSON.parse(decision.input).ids).toContain(target.slice('break '.length));
      }
      expect(new Set(done.map(({ target }) => target)).size).toBe(done.length);
      const off = await db('breaks').whereIn('id', ids).where({ status: 'written_off' }).pluck('id');
      expect(new Set(done.map(({ target }) => target))).toEqual(new Set(off.map((id) => `break ${id}`)));
      written += done.length;
      expired += decisions.filter(({ state }) => state === 'expired').length;
    }),
    { numRuns: RUNS, examples: [[EACH]] },
  );
  expect([written > 0, expired > 0]).toEqual([true, true]);
  await sealRows({ db, now });
  expect(await bookFindings(db)).not.toContainEqual(expect.stringContaining('decision'));
}, 300_000);
