import { expect, test } from 'vitest';
import { breakDefinitions } from '../../src/domain/breaks/breaks.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();

const run = useShell(database);

test('a break is shown with what it means and what to do', async () => {
  const kind = 'refund_exceeds_net';
  const entity = { kind: 'payment_intent', id: 'pi_1' } as const;
  await database.db.transaction((trx) => openBreaks(trx, [{ kind, entity, evidence: { refunds: ['po_1'] } }]));
  const { id } = await database.db('breaks').where({ kind }).first('id');
  const { code, json } = await run('breaks', 'show', id, '--json');
  expect(code).toBe(0);
  const { means, ends, remedy } = breakDefinitions[kind];
  expect(json).toMatchObject({ id, kind, evidence: { refunds: ['po_1'] }, means, ends, remedy });

  const shown = await run('breaks', 'show', id);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain(remedy);
  expect(shown.stdout).toMatch(/^kind +refund_exceeds_net$/m);
  expect(shown.stdout).toMatch(/^evidence\n {2}refunds {2}po_1$/m);
  expect(shown.stdout).not.toMatch(/[{}"]/);
});
