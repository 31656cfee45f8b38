import * as fc from 'fast-check';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { registerOrder } from '../../src/records/orders/orders.js';
import { accessibilityProblems, NARROW, signIn, useBrowser, WIDE } from '../support/browser.js';
import { serve, testConsole, tokenOf } from '../support/console.js';
import { session } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { completed, storeEvents } from '../support/events.js';
import { poll } from '../support/observations.js';
import { intent } from '../support/records.js';
import { save } from '../support/saved.js';

const store = useDatabase();
const visitor = useBrowser();
let app: ReturnType<typeof testConsole>['app'];
beforeAll(async () => {
  ({ app } = testConsole(store.db));
});

let made = 0;
const next = () => {
  made += 1;
  return made;
};
const second = () => new Date(Date.UTC(2026, 0, 1) + next() * 1_000).toISOString();

/** What makes one more row of each list, on top of it. */
const lists: Readonly<Record<string, () => Promise<unknown>>> = {
  '/events': () => storeEvents(store.db, [completed(`new_${next()}`)]),
  '/breaks': () =>
    store.db.transaction((trx) =>
      openBreaks(trx, [{ kind: 'payout_stuck', entity: { kind: 'payout', id: `po_${next()}` }, evidence: {} }]),
    ),
  '/payments': () => save(store, [poll('payment_intent', intent(`pi_${next()}`, { createdAt: second() }), 1)]),
  '/orders': () =>
    store.db.transaction((trx) => registerOrder(trx, { reference: `o-${next()}`, amount: '1', currency: 'EUR' })),
  '/match': () =>
    store.db('matches').insert({
      kind: 'order',
      id: `m-${next()}`,
      state: 'unmatched',
      reason: 'not_paid',
      reasons: '[]',
      opened_at: second(),
      opened_on: '2026-01-01',
    }),
};

const addressOf = (text: string) => /data-news="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('how many rows are newer than a list', () => {
  it.each(Object.entries(lists))('%s says so, of what its filters leave', async (path, more) => {
    const { get } = await session(app, 'viewer');
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.nat(3), async (before, after) => {
        for (let n = 0; n < before; n += 1) await more();
        const news = addressOf((await get(path)).text);
        expect((await get(news).expect(200)).body).toEqual({ count: 0 });
        for (let n = 0; n < after; n += 1) await more();
        expect((await get(news)).body).toEqual({ count: after });
        expect((await get(addressOf((await get(path)).text))).body).toEqual({ count: 0 });
      }),
      { numRuns: 8 },
    );
  });

  it('counts no further than a hundred, and by the filters of the page', async () => {
    const { get } = await session(app, 'viewer');
    const [all, dead] = [addressOf((await get('/events')).text), addressOf((await get('/events?status=dead')).text)];
    const ids = await storeEvents(
      store.db,
      Array.from({ length: 120 }, (_, n) => completed(`many_${n}`)),
    );
    await store.db('inbox').whereIn('id', ids.slice(0, 3)).update({ status: 'dead' });
    expect((await get(all)).body).toEqual({ count: 100 });
    expect((await get(dead)).body).toEqual({ count: 3 });
  });

  it('is not asked of an older page, nor of a page that renews itself', async () => {
    const { get } = await session(app, 'viewer');
    const older = /href="([^"]*)" rel="next"/.exec((await get('/events')).text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(older).not.toBe('');
    for (const path of [older, '/runs', '/balances']) expect(addressOf((await get(path)).text)).toBe('');
  });

  it('is for who may see the page, and refuses what is none of its marks', async () => {
    expect((await request(app).get('/new/events')).status).toBe(401);
    const { get } = await session(app, 'viewer');
    await get('/new/queues').expect(404);
    const crooked = Buffer.from('["1 OR 1"]').toString('base64url');
    for (const bad of ['cursor=x', `cursor=${crooked}`, 'banana=1', 'from=yesterday'])
      expect((await get(`/new/events?${bad}`)).status).toBe(400);
    expect((await get(`/new/payments?cursor=${crooked}`)).status).toBe(400);
    expect((await get(`/new/orders?cursor=${crooked}`)).status).toBe(400);
  });
});

describe('a list that is open', () => {
  it('says that there are new rows, once aloud, and stays as it is until they are asked for', async () => {
    const site = await serve(app);
    const { page, complaints } = await visitor({ baseURL: site.url });
    await signIn(page, tokenOf('operator'));
    const ask = async (text: string) => {
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
      await page.getByText(text).waitFor();
    };
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport);
      await page.goto('/events?eventType=payment_intent.completed');
      const rows = page.locator('#list tbody tr');
      const idOf = (n: number) => rows.nth(n).locator('a').first().innerText();
      const before = await idOf(0);
      expect(await page.locator('.news').isVisible()).toBe(false);
      await rows.first().locator('input').check();
      await storeEvents(store.db, [completed(`open_${next()}`), completed(`open_${next()}`)]);
      await storeEvents(store.db, [{ event: 'payout.failed', data: { id: `po_${next()}` } }]);
      await ask('2 new · show');
      const said = page.locator('.news + [role="status"]');
      expect(await said.innerText()).toContain('new rows');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.evaluate(`document.querySelector('.news + [role="status"]').textContent = 'heard'`);
      await storeEvents(store.db, [completed(`open_${next()}`)]);
      await ask('3 new · show');
      expect(await said.innerText()).toBe('heard');
      expect([await idOf(0), await rows.first().locator('input').isChecked()]).toEqual([before, true]);
      await page.getByText('3 new · show').click();
      expect(new URL(page.url()).search).toBe('?eventType=payment_intent.completed');
      expect(await idOf(3)).toBe(before);
      expect(await page.locator('.news').isVisible()).toBe(false);
    }
    expect(complaints).toEqual([]);
    await page.context().close();
    await site.close();
  });

  it('is whole without scripts', async () => {
    const { get } = await session(app, 'viewer');
    const { text } = await get('/events');
    expect(/<div class="news"[^>]*>/.exec(text)?.[0]).toContain(' hidden>');
    expect(text).toContain('<p class="sr" role="status"></p>');
  });
});
