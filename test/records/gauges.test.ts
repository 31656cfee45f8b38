import { expect, test } from 'vitest';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { countOpenBreaks, lastCompleteRuns } from '../../src/records/gauges.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

test('open breaks are counted by kind and severity, closed ones not', async () => {
  const { db } = database;
  const breakOf = (id: string) => ({
    kind: 'stale_record' as const,
    entity: { kind: 'payin' as const, id },
    evidence: {},
  });
  await openBreaks(db, [breakOf('a'), breakOf('b'), breakOf('c')]);
  await db('breaks').where({ entity_id: 'a' }).update({ status: 'resolved' });
  await db('breaks').where({ entity_id: 'b' }).update({ status: 'acknowledged' });
  expect(await countOpenBreaks(db)).toEqual([{ kind: 'stale_record', severity: 'medium', count: 2 }]);
});

test('the last complete run of each kind; neither a failed nor an incomplete one', async () => {
  const { db } = database;
  const ran = (kind: string, hour: number, complete: boolean, status = 'succeeded') => ({
    kind,
    full: false,
    status,
    complete,
    finished_at: new Date(Date.UTC(2026, 0, 1, hour)),
  });
  await db('runs').insert([
    ran('payouts', 1, true),
    ran('payouts', 2, true),
    ran('payouts', 3, false),
    ran('payouts', 4, true, 'failed'),
    ran('invoices', 5, false),
  ]);
  const last = await lastCompleteRuns(db, ['payouts', 'invoices', 'balances']);
  expect(last).toEqual([{ kind: 'payouts', at: new Date(Date.UTC(2026, 0, 1, 2)) }]);
});
