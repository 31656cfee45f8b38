import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../src/domain/record-state.js';
import { accessibilityProblems, NARROW, signIn, useBrowser, WIDE } from '../support/browser.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { session, visit } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';

const store = useDatabase();
const visitor = useBrowser();
const MANY = 10;

const ends = ['applied', 'failed', 'unhandled', 'dead'] as const;
const done = { attempts: 3, applied_at: new Date(0), error: 'why' };
let round = 0;

/** As many events, each ended in its way; their ids. */
async function ended(states: readonly (typeof ends)[number][]): Promise<string[]> {
  round += 1;
  const ids = await storeEvents(
    store.db,
    states.map((_, n) => completed(`${round}_${n}`)),
  );
  for (const [n, status] of states.entries())
    await store
      .db('inbox')
      .where({ id: ids[n] ?? '' })
      .update({ ...done, status });
  return ids;
}

const rowsOf = (ids: readonly string[]) =>
  store
    .db('inbox')
    .whereIn('id', [...ids])
    .orderBy('id')
    .select('id', 'status', 'attempts', 'error');
const places = fc.uniqueArray(fc.nat(MANY - 1), { minLength: 1 });
const states = fc.array(fc.constantFrom(...ends), { minLength: MANY, maxLength: MANY });

describe('events that somebody picks', () => {
  it('are applied again all and alone; what became of each other one is said', async () => {
    await fc.assert(
      fc.asyncProperty(states, places, places, places, async (given, picked, pruned, deleted) => {
        const { app, commands } = testConsole(store.db);
        const { post } = await session(app, 'operator');
        const ids = await ended(given);
        const idsOf = (some: number[]) => some.map((place) => ids[place] ?? '');
        const form = { id: idsOf(picked), reason: 'fixed' };
        const preview = await post('/events/picked', form).expect(200);
        expect(preview.text).toContain('Nothing was done yet');
        expect(commands.replay).not.toHaveBeenCalled();
        const [bare, gone] = [idsOf(pruned), idsOf(deleted)];
        await store.db('inbox').whereIn('id', bare).update({ body: null });
        await store.db('inbox').whereIn('id', gone).delete();
        const before = await rowsOf(ids);
        const answer = await post('/events/picked', { ...form, _confirmed: 'yes' }).expect(303);
        const replayed = form.id.filter((id) => !bare.includes(id) && !gone.includes(id));
        expect(await rowsOf(ids)).toEqual(
          before.map((row) =>
            replayed.includes(row.id) ? { id: row.id, status: 'received', attempts: 0, error: null } : row,
          ),
        );
        const asked = replayed.toSorted((a, b) => Number(a) - Number(b));
        expect(
          commands.replay.mock.calls.map(([some]: unknown[]) =>
            (some as string[]).toSorted((a, b) => Number(a) - Number(b)),
          ),
        ).toEqual(replayed.length === 0 ? [] : [asked]);
        if (replayed.length === 0) return;
        const kept = await store.db('actions').where({ action: 'replay events' }).orderBy('id', 'desc').first();
        expect(kept).toMatchObject({ actor: 'omar', reason: 'fixed', outcome: 'asked' });
        expect(answer.get('location')).toBe(`/events?id=${form.id.join('%2C')}`);
        for (const id of form.id.filter((one) => !replayed.includes(one))) {
          const said = (gone.includes(id) ? /Not here any more: [^.]*/ : /Left out: [^.]*/).exec(
            kept.details.told,
          )?.[0];
          expect(said?.split(/[ ,]+/)).toContain(id);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('are left as they are, all of them, where what is done can not be kept', async () => {
    const { app, commands } = testConsole(store.db);
    const { post } = await session(app, 'operator');
    const ids = await ended(['dead', 'failed', 'applied']);
    await store.db.raw(`ALTER TABLE actions ADD CONSTRAINT full_disk CHECK (reason <> 'no room') NOT VALID`);
    await post('/events/picked', { id: ids, reason: 'no room', _confirmed: 'yes' }).expect(500);
    await store.db.raw('ALTER TABLE actions DROP CONSTRAINT full_disk');
    expect((await rowsOf(ids)).map(({ status }) => String(status)).toSorted(compareText)).toEqual([
      'applied',
      'dead',
      'failed',
    ]);
    expect(commands.replay).not.toHaveBeenCalled();
  });

  it('are a hundred at most, events, and an operator’s to pick', async () => {
    const { app, commands } = testConsole(store.db);
    const { post } = await session(app, 'operator');
    const many = Array.from({ length: 101 }, (_, n) => `${n + 1}`);
    const send = (id: string[]) => post('/events/picked', { id, reason: 'why', _confirmed: 'yes' });
    expect((await send(many).expect(400)).text).toContain('takes 100 events at once');
    await send([]).expect(400);
    await send(['1', 'x']).expect(400);
    await send([...many.slice(0, 100), '1']).expect(303);
    const finance = await session(app, 'finance');
    await finance.post('/events/picked', { id: ['1'], reason: 'why', _confirmed: 'yes' }).expect(403);
    expect((await (await visit(app, 'finance')).get('/events')).main).not.toContain('type="checkbox" name="id"');
    expect((await (await visit(app, 'operator')).get('/csv/events')).status).toBe(200);
    const { text } = await (await session(app, 'operator')).get('/csv/events');
    expect(text.split('\r\n')[0]).toBe('Event,Type,Status,Arrivals,Secret,Received');
    expect(commands.replay).toHaveBeenCalledTimes(1);
    for (const bad of ['/events?id=x', `/events?id=${many.join(',')}`])
      expect((await (await session(app, 'operator')).get(bad)).status).toBe(400);
  });

  it('are shown with what a replay does to each, wait for a yes, and are listed with how each ends', async () => {
    const ids = await ended(['dead', 'applied', 'failed']);
    const site = await serve(testConsole(store.db).app);
    const { page, complaints } = await visitor({ baseURL: site.url });
    await signIn(page, tokenOf('operator'));
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport);
      await page.goto('/events');
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    for (const key of ['j', 'x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('Replay the picked…').click();
    await page.getByLabel('Reason').fill('the rule is fixed');
    await page.getByRole('button', { name: 'Replay the picked' }).click();
    const main = page.locator('main');
    expect(await main.innerText()).toContain('3 events will be applied again');
    expect(await main.innerText()).toContain('nothing changes a second time');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Replay the picked' }).click();
    expect(await page.locator('.flash').innerText()).toContain('3 events will be applied');
    expect(await page.locator('#list tbody tr').count()).toBe(3);
    const states = (await rowsOf(ids)).map(({ status }) => status);
    expect(states.filter((status) => status === 'received')).toHaveLength(3);
    expect(complaints).toEqual([]);
    await page.context().close();
    await site.close();
  });
});
