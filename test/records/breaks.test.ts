import { expect, test } from 'vitest';
import { dueHours } from '../../src/domain/breaks/findings.js';
import { autoResolveBreaks, type NewBreak, openBreaks } from '../../src/records/breaks/breaks.js';
import { decideAsked, decideBreak, previewDecision } from '../../src/records/breaks/decide-breaks.js';
import { breakCauses, getBreak, listBreaks, ofCause } from '../../src/records/breaks/list-breaks.js';
import { openedAt } from '../support/aged-breaks.js';
import { useDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { intent } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();
const openAll = (breaks: NewBreak[]) => database.db.transaction((trx) => openBreaks(trx, breaks));

const missed = (id: string) => ({
  kind: 'missed_webhook' as const,
  entity: { kind: 'delivery' as const, id },
  evidence: { ours: null, theirs: { status: 'failed' } },
});

async function openedId(id: string): Promise<string> {
  const { items } = await listBreaks(database.db, { entityId: id });
  return items[0]?.id ?? '';
}

test('one break per kind and entity is open, however often and from wherever it is found', async () => {
  const counts = await Promise.all(
    Array.from({ length: 5 }, () =>
      database.db.transaction((trx) => openBreaks(trx, [missed('b'), missed('a'), missed('b')])),
    ),
  );
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
  const { items } = await listBreaks(database.db, { status: 'open', kind: 'missed_webhook' });
  expect(items.map(({ entity, severity }) => `${entity.id} ${severity}`).sort()).toEqual(['a high', 'b high']);
  expect(items[0]?.evidence).toEqual({ ours: null, theirs: { status: 'failed' } });
});

test('a worse finding of the same kind raises the open one', async () => {
  const violation = { kind: 'contract_violation' as const, entity: { kind: 'event' as const, id: 'v' }, evidence: {} };
  await openAll([violation]);
  expect(await openAll([{ ...violation, severity: 'critical', evidence: { worse: true } }])).toBe(0);
  expect(await openAll([violation])).toBe(0);
  const shown = await getBreak(database.db, await openedId('v'));
  expect(shown).toMatchObject({ severity: 'critical', evidence: { worse: true } });
  expect(shown?.steps.map(({ action }) => action)).toEqual(['opened', 'escalated']);
});

test('one that was acknowledged as something less is open again when it gets worse', async () => {
  const violation = { kind: 'contract_violation' as const, entity: { kind: 'event' as const, id: 'w' }, evidence: {} };
  await openAll([violation]);
  await decideBreak(database.db, await openedId('w'), 'acknowledge', { actor: 'Ada', note: 'can wait' });
  await openAll([violation]);
  expect(await getBreak(database.db, await openedId('w'))).toMatchObject({ status: 'acknowledged', severity: 'low' });
  await openAll([{ ...violation, severity: 'critical' }]);
  const shown = await getBreak(database.db, await openedId('w'));
  expect(shown).toMatchObject({ status: 'open', severity: 'critical' });
  expect(shown?.steps.map(({ action, note }) => [action, note])).toEqual([
    ['opened', null],
    ['acknowledged', 'can wait'],
    ['escalated', null],
  ]);
});

test('closed by a person it is not opened again for the same cause; resolved by itself it is', async () => {
  const wanted = { ...missed('x'), cause: 'first' };
  await openAll([wanted]);
  await decideBreak(database.db, await openedId('x'), 'write_off', { actor: 'Ada', note: 'known' });
  expect(await openAll([wanted])).toBe(0);
  expect(await openAll([{ ...wanted, cause: 'second' }])).toBe(1);
  await autoResolveBreaks(database.db, [wanted]);
  expect(await openAll([{ ...wanted, cause: 'second' }])).toBe(1);
  expect(await openAll([{ ...missed('y'), cause: 'first' }])).toBe(1);
});

test('it resolves itself, may be acknowledged before, and opens anew when it comes back', async () => {
  await openAll([missed('c')]);
  const id = await openedId('c');
  const decided = await decideBreak(database.db, id, 'acknowledge', { actor: 'Ada', note: 'asked the service' });
  expect(decided).toMatchObject({ outcome: 'done', break: { status: 'acknowledged', resolvedAt: null } });
  expect(await openAll([missed('c')])).toBe(0);
  expect(await autoResolveBreaks(database.db, [missed('c'), missed('unknown')])).toBe(1);
  const shown = await getBreak(database.db, id);
  expect(shown).toMatchObject({ status: 'auto_resolved', resolvedAt: expect.any(String) });
  expect(shown?.steps.map(({ action, actor, note }) => [action, actor, note])).toEqual([
    ['opened', 'tallyhook', null],
    ['acknowledged', 'Ada', 'asked the service'],
    ['auto_resolved', 'tallyhook', null],
  ]);
  expect(await openAll([missed('c')])).toBe(1);
});

test('people resolve and write off once, and a closed break stays as it is', async () => {
  await openAll([missed('d'), missed('e')]);
  const by = { actor: 'Ada', note: 'seen' };
  expect(await decideBreak(database.db, await openedId('d'), 'resolve', by)).toMatchObject({ outcome: 'done' });
  expect(await decideBreak(database.db, await openedId('e'), 'write_off', by)).toMatchObject({
    outcome: 'done',
    break: { status: 'written_off' },
  });
  expect(await decideBreak(database.db, await openedId('d'), 'write_off', by)).toMatchObject({
    outcome: 'closed',
    break: { status: 'resolved' },
  });
  expect(await decideBreak(database.db, '999999', 'resolve', by)).toEqual({ outcome: 'not_found' });
  expect(await decideBreak(database.db, 'x; --', 'resolve', by)).toEqual({ outcome: 'not_found' });
});

test('the age is the one finance asks for', async () => {
  await openAll([missed('f')]);
  const id = await openedId('f');
  const ages = [0, 30, 31, 60, 61, 90, 91].map(async (days) => {
    const now = new Date(Date.now() + days * 86_400_000 + 60_000);
    return (await getBreak(database.db, id, now))?.age;
  });
  expect(await Promise.all(ages)).toEqual(['0-30', '0-30', '31-60', '31-60', '61-90', '61-90', '90+']);
});

test('lists are paged by key', async () => {
  await openBreaks(
    database.db,
    Array.from({ length: 7 }, (_, index) => missed(`page-${index}`)),
  );
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listBreaks(database.db, { kind: 'missed_webhook', status: 'open', take: 3, cursor });
    ids.push(...page.items.map((item) => item.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual([...ids].sort((a, b) => Number(b) - Number(a)));
});

test('a payment whose reference is too long for an order is a break; one of the longest is not', async () => {
  const long = 'é'.repeat(501);
  await save(database, [poll('payment_intent', intent('long', { merchantReference: long }), 0)]);
  await save(database, [poll('payment_intent', intent('fits', { merchantReference: 'x'.repeat(1_000) }), 0)]);
  const { items } = await listBreaks(database.db, { entityKind: 'payment_intent' });
  expect(items).toMatchObject([
    { kind: 'contract_violation', entity: { id: 'long#merchantReference' }, severity: 'high' },
  ]);
});

test('is somebody’s and due by its severity: acknowledged it is taken, assigned it is given, each a step', async () => {
  await openAll([missed('due')]);
  const id = await openedId('due');
  const opened = await getBreak(database.db, id);
  const age = Date.parse(opened?.dueAt ?? '') - Date.parse(opened?.openedAt ?? '');
  expect([opened?.owner, opened?.overdue, age / 3_600_000]).toEqual([null, false, dueHours.high]);
  const about = { actor: 'Ada', note: 'mine' };
  await decideBreak(database.db, id, 'acknowledge', about);
  expect((await getBreak(database.db, id))?.owner).toBe('Ada');
  await decideBreak(database.db, id, { owner: 'Bob' }, { actor: 'Ada', note: 'his' });
  await decideBreak(database.db, id, 'acknowledge', about);
  const later = new Date(Date.parse(opened?.dueAt ?? '') + 1);
  expect(await getBreak(database.db, id, later)).toMatchObject({ owner: 'Bob', overdue: true, status: 'acknowledged' });
  const listed = async (query: object, now?: Date) =>
    (await listBreaks(database.db, { entityId: 'due', ...query }, now)).items.length;
  expect(await listed({ owner: 'Bob' })).toBe(1);
  expect(await listed({ owner: 'nobody' })).toBe(0);
  expect([await listed({ overdue: 'true' }), await listed({ overdue: 'true' }, later)]).toEqual([0, 1]);
  expect([await listed({ overdue: 'false' }), await listed({ overdue: 'false' }, later)]).toEqual([1, 0]);
  await decideBreak(database.db, id, { owner: null }, about);
  await decideBreak(database.db, id, 'resolve', about);
  expect(await getBreak(database.db, id, later)).toMatchObject({ owner: null, overdue: false });
  expect((await getBreak(database.db, id))?.steps.map(({ action }) => action)).toEqual([
    'opened',
    'acknowledged',
    'assigned to Bob',
    'acknowledged',
    'unassigned',
    'resolved',
  ]);
});

test('what came together is one line and one decision, all of it or nothing, and what comes later is not in it', async () => {
  const ids = Array.from({ length: 20 }, (_, n) => `storm-${n}`);
  await openAll(ids.map(missed));
  await openAll(['early', 'late'].map(missed));
  const shift = (id: string, by: string) =>
    openedAt(database.db, { entity_id: id }, database.db.raw('opened_at + ?::interval', [by]));
  for (const [n, id] of ids.entries()) await shift(id, `-9 days ${n * 59} minutes`);
  await shift('early', '-10 days');
  await shift('late', `-7 days`);
  const storm = (await breakCauses(database.db)).find(({ count }) => count === 20);
  expect(storm).toMatchObject({ kind: 'missed_webhook', severity: 'high', unowned: 20 });
  if (storm === undefined) return;
  const idsOf = async () => (await previewDecision(database.db, { cause: storm })).ids;
  expect((await listBreaks(database.db, ofCause(storm))).items).toHaveLength(20);
  const found = await idsOf();
  expect(found).toHaveLength(20);
  const about = { actor: 'Ada', note: 'one storm' };
  const before = await database.db('actions').count().first();
  const refused = `break_id <> ${Number(found[9])} OR action <> 'resolved'`;
  await database.db.raw(`ALTER TABLE break_steps ADD CONSTRAINT tenth CHECK (${refused})`);
  await expect(decideAsked(database.db, { ids: found }, 'resolve', about)).rejects.toThrow('tenth');
  await database.db.raw('ALTER TABLE break_steps DROP CONSTRAINT tenth');
  expect(await database.db('actions').count().first()).toEqual(before);
  expect(await idsOf()).toHaveLength(20);
  const [first = ''] = found;
  await decideBreak(database.db, first, 'write_off', about);
  const { ids: done, left } = await decideAsked(database.db, { ids: found, cause: storm }, 'resolve', about);
  expect([done, left]).toEqual([found.slice(1), [{ why: 'written_off', count: 1, first }]]);
  expect(await idsOf()).toEqual([]);
  const steps = await database
    .db('break_steps')
    .whereIn('break_id', found)
    .where({ action: 'resolved', note: 'one storm' });
  expect(steps).toHaveLength(19);
  for (const id of ['early', 'late'])
    expect(await getBreak(database.db, await openedId(id))).toMatchObject({ status: 'open' });
});
