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

test('both sides of a break stand beside each other, and what differs is marked', async () => {
  const evidence = {
    ours: { status: 'open', amount: '10' },
    theirs: { status: 'paid', amount: '10', ref: { txid: null, n: '2' }, source: { type: 'poll', ref: '7' } },
    fee: { ours: '1', theirs: '1.5', source: { type: 'delivery_history', ref: 'd_1' } },
    since: '2026-11-01',
  };
  await openBreaks(database.db, [{ kind: 'invoice_items_sum', entity: { kind: 'invoice', id: 'inv_1' }, evidence }]);
  const { id } = await database.db('breaks').where({ kind: 'invoice_items_sum' }).first('id');
  const { stdout } = await run('breaks', 'show', id);
  expect(stdout).toMatch(/^evidence\n {2}since {2}2026-11-01$/m);
  expect(stdout).toMatch(/^theirs\n {2}ref\n {4}txid {2}–\n {4}n {5}2\n {2}source\n {4}type {2}poll\n {4}ref {3}7$/m);
  const rows = stdout.split('\n').filter((line) => line.startsWith('│'));
  expect(
    rows.map((row) =>
      row
        .split('│')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  ).toEqual([
    ['evidence', 'ours', 'theirs', '', 'known from'],
    ['status', 'open', 'paid', 'differs', ''],
    ['amount', '10', '10', '', ''],
    ['fee', '1', '1.5', 'differs', 'delivery history d_1'],
  ]);
  expect((await run('breaks', 'show', id, '--json')).json).toMatchObject({ evidence });
});

test('an identity of fees is forgotten by whoever says why, and a dry run forgets nothing', async () => {
  const { db } = database;
  await db('identity_evidence').insert({
    identity: 'intent_net',
    proven_at: new Date(),
  });
  const observe = (...words: string[]) => run('breaks', 'observe', ...words, '--note', 'new fees');
  const unknown = await observe('net');
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('known are: intent_net')]);
  expect((await observe('intent_net', '--dry-run')).stdout).toContain('would observe intent_net again');
  expect(await db('identity_evidence').pluck('identity')).toEqual(['intent_net']);
  expect((await observe('intent_net', '--json')).json).toEqual({ identity: 'intent_net', dryRun: false });
  expect(await db('identity_evidence').pluck('identity')).toEqual([]);
  const kept = await db('actions').where({ action: 'observe identity' });
  expect(kept).toMatchObject([{ target: 'intent_net', reason: 'new fees', outcome: 'done' }]);
});

test('a cause is listed, previewed with its money, and decided as a whole; what is closed is left out, and said', async () => {
  const { db } = database;
  const held = (id: string) => ({
    kind: 'order_underpaid' as const,
    entity: { kind: 'order' as const, id },
    evidence: { reason: 'underpaid' },
  });
  const order = (reference: string) => ({
    reference,
    expected_amount: '10.5',
    expected_currency: 'EUR',
    status: 'underpaid',
    release_safe: false,
    release_reason: 'underpaid',
  });
  await db('orders').insert(['c_1', 'c_2'].map(order));
  await openBreaks(db, ['c_1', 'c_2', 'c_3', 'c_4'].map(held));
  const ids: string[] = await db('breaks').where({ kind: 'order_underpaid' }).orderBy('id').pluck('id');
  const [first = '', second = '', third = '', fourth = ''] = ids;
  await run('breaks', 'writeoff', third, '--note', 'small');
  const listed = await run('breaks', 'causes', '--json');
  const cause = {
    id: first,
    kind: 'order_underpaid',
    entityKind: 'order',
    shared: 'reason underpaid',
    count: 3,
    unowned: 3,
  };
  expect([listed.code, listed.json]).toEqual([3, { items: expect.arrayContaining([expect.objectContaining(cause)]) }]);
  expect((await run('breaks', 'causes')).stdout).toContain('reason underpaid');

  const decide = (...more: string[]) => run('breaks', 'resolve', '--note', 'one refund', ...more);
  const statuses = async () => (await db('breaks').whereIn('id', ids).orderBy('id').pluck('status')).join(' ');
  const before = await statuses();
  const preview = await decide('--cause', third, '--dry-run');
  expect([preview.code, preview.stdout.trim().split('\n')]).toEqual([
    0,
    [
      `would resolve order_underpaid of c_4 (break ${fourth})`,
      `would resolve order_underpaid of c_2 (break ${second})`,
      `would resolve order_underpaid of c_1 (break ${first})`,
      '2 breaks: 21 EUR',
      '1 break: no amount is known',
      'Left out: 1 written off.',
    ],
  ]);
  expect(await statuses()).toBe(before);
  const narrowed = await decide(first, third, '--cause', second);
  expect([narrowed.code, narrowed.stdout, narrowed.stderr]).toEqual([
    0,
    `break ${first} is resolved\n`,
    expect.stringContaining('Left out: 1 written off.'),
  ]);
  expect((await run('breaks', 'assign', '--cause', first, '--to', 'Ann', '--note', 'hers')).stdout).toBe(
    `break ${second} is open, Ann is at it\nbreak ${fourth} is open, Ann is at it\n`,
  );
  expect((await decide('--cause', fourth)).code).toBe(0);
  expect(await statuses()).toBe('resolved resolved written_off resolved');
  const nothing = await decide('--cause', first);
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining(`came together with a break "${first}"`)]);
  const unnamed = await decide();
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('ids of breaks, or --cause ID')]);
});

test('of breaks that are named each can be decided, or none is', async () => {
  const { db } = database;
  const one = (id: string) => ({
    kind: 'payout_stuck' as const,
    entity: { kind: 'payout' as const, id },
    evidence: {},
  });
  await openBreaks(db, [one('n_1'), one('n_2')]);
  const ids: string[] = await db('breaks').where({ kind: 'payout_stuck' }).orderBy('id').pluck('id');
  const [first = '', second = ''] = ids;
  const ack = (...more: string[]) => run('breaks', 'ack', '--note', 'seen', ...more);
  expect((await ack(first)).stdout).toMatch(new RegExp(`^break ${first} is acknowledged, .+ is at it\n$`));
  await run('breaks', 'resolve', first, '--note', 'moved');
  expect(await ack(second, first)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${first} is resolved already`),
  });
  expect(await ack(second, '999')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no break "999"'),
  });
  expect(await db('breaks').whereIn('id', ids).orderBy('id').pluck('status')).toEqual(['resolved', 'open']);
});
