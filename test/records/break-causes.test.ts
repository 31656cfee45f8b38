import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakDefinitions, breakKinds, NOTHING_SHARED, sharedOf } from '../../src/domain/breaks/breaks.js';
import { grouped } from '../../src/domain/grouped.js';
import { type NewBreak, openBreaks, renewEvidence } from '../../src/records/breaks/breaks.js';
import { decideAsked, previewDecision } from '../../src/records/breaks/decide-breaks.js';
import { breakCauses, causeOfBreak } from '../../src/records/breaks/list-breaks.js';
import { openedAt } from '../support/aged-breaks.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { sized } from '../support/sizes.js';

const database = resettableDatabase();

const delivery = (id: string, httpStatus: string | null, endpointId = 'we_1'): NewBreak => ({
  kind: 'missed_webhook',
  entity: { kind: 'delivery', id },
  evidence: { class: 'never_reached', ours: { held: false }, theirs: { httpStatus, endpointId, createdAt: id } },
});

test('what several share is said in words of their evidence, and never more than it says', () => {
  expect(sharedOf('missed_webhook', delivery('1', '502').evidence)).toBe('http status 502, endpoint id we_1');
  expect(sharedOf('missed_webhook', delivery('1', null).evidence)).toBe('endpoint id we_1');
  expect(sharedOf('missed_webhook', {})).toBe(NOTHING_SHARED);
  expect(sharedOf('duplicate_payment', { ours: 'whatever' })).toBe(NOTHING_SHARED);
  expect(sharedOf('event_not_sent', { ours: { secret: 'x'.repeat(300) } })).toHaveLength('secret '.length + 80);
  for (const kind of breakKinds) {
    const { sharedBy } = breakDefinitions[kind];
    if ('none' in sharedBy) expect(sharedBy.none, kind).toMatch(/^[A-Z].+\.$/);
    else for (const pointer of sharedBy) expect(pointer).toMatch(/^(\/[A-Za-z]+)+$/);
  }
});

interface Placed {
  asked: NewBreak;
  minute: number;
}

const placed: fc.Arbitrary<Placed[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom('502', '504', null),
      endpoint: fc.constantFrom('we_1', 'we_2'),
      isPhantom: fc.boolean(),
      minute: fc.integer({ min: 0, max: 400 }),
    }),
    { maxLength: 25 },
  )
  .map((some) =>
    some.map(({ status, endpoint, isPhantom, minute }, n) => {
      const asked = delivery(`d${n}`, status, endpoint);
      return { minute, asked: isPhantom ? { ...asked, kind: 'phantom_delivery' } : asked };
    }),
  );

/** By kind and what is shared, cut where more than an hour lies between: as a person would do it with a pencil. */
function byHand(all: readonly Placed[]): string[][] {
  const alike = grouped(all, ({ asked }) => `${asked.kind} ${sharedOf(asked.kind, asked.evidence)}`);
  return [...alike.values()].flatMap((some) => {
    const causes: Placed[][] = [];
    for (const one of some.toSorted((a, b) => a.minute - b.minute)) {
      const last = causes.at(-1);
      if (last === undefined || one.minute - (last.at(-1)?.minute ?? 0) > 60) causes.push([one]);
      else last.push(one);
    }
    return causes.map((cause) => cause.map(({ asked }) => asked.entity.id).toSorted());
  });
}

test('law: each break that is not closed is in exactly one cause, by what its evidence shares, in whichever order they came', async () => {
  const { db } = database;
  await fc.assert(
    fc.asyncProperty(placed, async (all) => {
      await db('breaks').update({ status: 'resolved', resolved_at: new Date() });
      await openBreaks(
        db,
        all.map(({ asked }) => asked),
      );
      for (const { asked, minute } of all)
        await openedAt(db, { entity_id: asked.entity.id }, new Date(minute * 60_000));
      const found: string[][] = [];
      for (const cause of await breakCauses(db)) {
        const { ids } = await previewDecision(db, { cause });
        expect(ids).toHaveLength(cause.count);
        // Each of them names it.
        for (const id of ids.slice(0, 3)) expect(await causeOfBreak(db, id)).toEqual(cause);
        expect(ids).toContain(cause.id);
        const entities: string[] = await db('breaks').whereIn('id', ids).pluck('entity_id');
        found.push(entities.toSorted());
      }
      const sorted = (some: string[][]) => some.map((one) => one.join(' ')).toSorted();
      expect(sorted(found)).toEqual(sorted(byHand(all)));
    }),
    { numRuns: sized(25, 300) },
  );
}, 120_000);

test('two causes of one hour are two lines; a break whose evidence is renewed goes to the other', async () => {
  const { db } = database;
  await openBreaks(db, [delivery('1', '502'), delivery('2', '502'), delivery('3', '504'), delivery('4', '504')]);
  const counts = async () => (await breakCauses(db)).map(({ shared, count }) => `${count} ${shared}`).toSorted();
  expect(await counts()).toEqual(['2 http status 502, endpoint id we_1', '2 http status 504, endpoint id we_1']);
  await renewEvidence(db, delivery('3', '502'));
  expect(await counts()).toEqual(['1 http status 504, endpoint id we_1', '3 http status 502, endpoint id we_1']);
});

test('a break that was closed still names what came together with it; a decision leaves out what is closed, and of another cause', async () => {
  const { db } = database;
  const about = { actor: 'Ada', note: 'one storm' };
  await openBreaks(db, [delivery('1', '502'), delivery('2', '502'), delivery('3', '502'), delivery('4', '504')]);
  const ids: string[] = await db('breaks').orderBy('id').pluck('id');
  const [first = '', second = '', third = '', other = ''] = ids;
  const [cause] = (await breakCauses(db)).filter(({ count }) => count === 3);
  expect(cause?.id).toBe(first);
  if (cause === undefined) return;
  await decideAsked(db, { ids: [first] }, 'write_off', about);
  expect(await causeOfBreak(db, first)).toMatchObject({ id: second, count: 2 });
  expect(await previewDecision(db, { cause })).toMatchObject({
    ids: [second, third],
    left: [{ why: 'written_off', count: 1 }],
  });
  await renewEvidence(db, delivery('3', '504'));
  expect(await decideAsked(db, { ids: [...ids, '999', 'x'], cause }, 'resolve', about)).toEqual({
    ids: [second],
    left: [
      { why: 'written_off', count: 1, first },
      { why: 'other_cause', count: 2, first: third },
      { why: 'not_found', count: 2, first: '999' },
    ],
    isTooMuch: false,
  });
  expect(await causeOfBreak(db, first)).toBeNull();
  for (const id of ['999', 'x', '']) expect(await causeOfBreak(db, id)).toBeNull();
  expect(await causeOfBreak(db, other)).toMatchObject({ count: 2 });
});
