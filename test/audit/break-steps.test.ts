import { expect, it } from 'vitest';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { useDatabase } from '../support/database.js';
import { bookFindings } from '../support/posted-books.js';

const database = useDatabase();

/** What a verification says of the books after these; afterwards all is as it was. */
async function after(...statements: string[]): Promise<string[]> {
  const trx = await database.db.transaction();
  try {
    for (const one of statements) await trx.raw(one);
    return (await bookFindings(trx)).filter((one) => one.startsWith('break_changed'));
  } finally {
    await trx.rollback();
  }
}

it('a break does not go, nor become another than was written off, by a statement', async () => {
  const about = { kind: 'payout_stuck', evidence: { amount: '5' } } as const;
  const breaks = ['po_1', 'po_open'].map((id) => ({ ...about, entity: { kind: 'payout', id } as const }));
  await database.db.transaction((trx) => openBreaks(trx, breaks));
  const { id } = await database.db('breaks').where({ entity_id: 'po_1' }).first('id');
  await decideBreak(database.db, id, 'write_off', { actor: 'fina', note: 'known' });
  expect(await after()).toEqual([]);
  const changed = (set: string) => after(`UPDATE breaks SET ${set} WHERE id = ${id}`);
  const told = `break_changed: break ${id} is not what was written off`;
  await expect(changed(`evidence = '{"amount":"1"}'`)).rejects.toThrow('what it rests on');
  const asOwner = 'SET LOCAL session_replication_role = replica';
  const other = (set: string) => after(asOwner, `UPDATE breaks SET ${set} WHERE id = ${id}`);
  expect(await other(`evidence = '{"amount":"1"}'`)).toEqual([told]);
  expect(await other(`opened_at = opened_at - interval '1 day'`)).toEqual([
    `break_changed: break ${id} was opened when no step says`,
  ]);
  expect(await changed(`owner = 'eve'`)).toEqual([`break_changed: break ${id} is not with whom it was given to`]);
  for (const set of [`entity_id = 'po_2'`, `kind = 'payout_reversed'`])
    await expect(changed(set), set).rejects.toThrow('stays about the payout_stuck of payout po_1');
  const again = `break_changed: break ${id} is open, and its steps say written off`;
  expect(await changed(`status = 'open', resolved_at = NULL`)).toEqual([told, again]);
  expect(await changed(`resolved_at = resolved_at - interval '1 day'`)).toHaveLength(1);
  const hide = (status: string) =>
    `UPDATE breaks SET status = '${status}', resolved_at = now() WHERE entity_id = 'po_open'`;
  expect((await after(hide('resolved'))).join()).toMatch(
    /^break_changed: break \d+ is resolved, and its steps say open$/,
  );
  const step = `INSERT INTO break_steps (break_id, action, actor) SELECT id, 'written_off', 'eve' FROM breaks WHERE entity_id = 'po_open'`;
  expect((await after(step, hide('written_off'))).join()).toMatch(
    /^break_changed: break \d+ was written off without an action$/,
  );
});
