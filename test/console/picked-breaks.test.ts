import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { accessibilityProblems, NARROW, signIn, useBrowser, WIDE } from '../support/browser.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { session, visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';

const store = useDatabase();
const visitor = useBrowser();
const MANY = 12;

let round = 0;
/** As many open breaks as there were none of before, their ids. */
async function opened(): Promise<string[]> {
  const { db } = store;
  round += 1;
  await db('breaks').update({ status: 'resolved', resolved_at: new Date() });
  const found = Array.from({ length: MANY }, (_, n) => ({
    kind: 'payout_stuck' as const,
    entity: { kind: 'payout' as const, id: `po_${round}_${n}` },
    evidence: {},
  }));
  await db.transaction((trx) => openBreaks(trx, found));
  return db('breaks').where({ status: 'open' }).orderBy('id').pluck('id');
}

const picks = fc.uniqueArray(fc.nat(MANY - 1), { minLength: 1 });
const after = { acknowledge: 'acknowledged', resolve: 'resolved', assign: 'open' } as const;

describe('breaks that somebody picks', () => {
  it('are decided all and alone; those that were closed meanwhile stay as they are', async () => {
    const { app } = testConsole(store.db);
    const { post } = await session(app, 'operator');
    const decision = fc.constantFrom(...(Object.keys(after) as (keyof typeof after)[]));
    await fc.assert(
      fc.asyncProperty(picks, picks, decision, async (picked, closed, what) => {
        const ids = await opened();
        const idsOf = (places: number[]) => places.map((place) => ids[place] ?? '');
        const form = { id: idsOf(picked), decision: what, owner: 'zoe', reason: 'all the same' };
        const preview = await post('/breaks/picked', form).expect(200);
        expect(preview.text).toContain('Nothing was done yet');
        const gone = idsOf(closed);
        await store.db('breaks').whereIn('id', gone).update({ status: 'written_off', resolved_at: new Date() });
        await post('/breaks/picked', { ...form, _confirmed: 'yes' }).expect(303);
        const rows = await store.db('breaks').whereIn('id', ids).orderBy('id');
        for (const { id, status, owner } of rows) {
          const isDecided = form.id.includes(id) && !gone.includes(id);
          expect(status).toBe(gone.includes(id) ? 'written_off' : isDecided ? after[what] : 'open');
          expect(owner).toBe(!isDecided || what === 'resolve' ? null : what === 'assign' ? 'zoe' : 'omar');
        }
        const steps = await store.db('break_steps').whereIn('break_id', ids).where({ note: 'all the same' });
        expect(steps).toHaveLength(form.id.filter((id) => !gone.includes(id)).length);
      }),
      { numRuns: 20 },
    );
  });

  it('are offered to each role for what it may, and refused for anything else', async () => {
    const { app } = testConsole(store.db);
    const ids = await opened();
    const offered = async (role: string) => {
      const { main } = await (await visit(app, role)).get('/breaks');
      return [...main.matchAll(/<option value="(acknowledge|assign|resolve|write-off)"/g)].map(([, value]) => value);
    };
    expect(await offered('operator')).toEqual(['acknowledge', 'assign', 'resolve']);
    expect(await offered('finance')).toEqual(['assign', 'write-off']);
    expect(await offered('viewer')).toEqual([]);
    const { post } = await session(app, 'operator');
    const form = { id: ids, decision: 'write-off', reason: 'no', _confirmed: 'yes' };
    await post('/breaks/picked', form).expect(403);
    await post('/breaks/picked', { ...form, _confirmed: undefined }).expect(403);
    await post('/breaks/picked', { ...form, decision: 'delete' }).expect(400);
    await post('/breaks/picked', { ...form, decision: 'resolve', id: [] }).expect(400);
    expect(await store.db('breaks').whereIn('id', ids).whereNot({ status: 'open' })).toEqual([]);
  });

  it('are picked by the keyboard, or all of the page at once, and wait for a yes', async () => {
    const ids = await opened();
    const site = await serve(testConsole(store.db).app);
    const { page, complaints } = await visitor({ baseURL: site.url });
    await signIn(page, tokenOf('operator'));
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport);
      await page.goto('/breaks?severity=high');
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    const boxes = page.locator('#list tbody input');
    const checked = () =>
      page.evaluate<boolean[]>(`[...document.querySelectorAll('#list tbody input')].map((box) => box.checked)`);
    for (const key of ['j', 'x', 'j', 'j', 'x']) await page.keyboard.press(key);
    expect((await checked()).map((is, place) => (is ? place : -1)).filter((place) => place >= 0)).toEqual([0, 2]);
    await page.getByLabel('Pick all of this page').check();
    expect(await checked()).toEqual(ids.map(() => true));
    await boxes.first().uncheck();
    await page.getByText('Decide the picked…').click();
    await page.getByLabel('What', { exact: true }).selectOption('acknowledge');
    await page.getByLabel('Reason').fill('one storm');
    await page.getByRole('button', { name: 'Decide the picked' }).click();
    expect(await page.locator('main').innerText()).toContain(`It is about ${MANY - 1} breaks`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Decide the picked' }).click();
    expect(await page.locator('.flash').innerText()).toContain(`${MANY - 1} breaks: Acknowledge.`);
    expect(new URL(page.url()).search).toBe('?severity=high');
    expect(await store.db('breaks').whereIn('id', ids).where({ status: 'acknowledged' })).toHaveLength(MANY - 1);
    expect(complaints).toEqual([]);
    await page.context().close();
    await site.close();
  });
});
