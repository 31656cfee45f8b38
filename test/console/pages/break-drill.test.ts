import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type NewBreak, openBreaks } from '../../../src/records/breaks/breaks.js';
import { NARROW, WIDE } from '../../support/browser.js';
import { useDatabase } from '../../support/database.js';
import { useSignedIn } from '../../support/signed-in.js';

const store = useDatabase();
const operator = useSignedIn({ store, role: 'operator' });
let page: Page;
let clicks = 0;
/** Pixels, between one click and the next. */
let scrolled = 0;

/** An hour of trouble: a proxy that fails, a network that is gone, a secret that is missing, payouts and invoices that wait. */
const causes: readonly [count: number, make: (id: string) => NewBreak][] = [
  [70, (id) => delivery('missed_webhook', id, { theirs: { endpointId: 'we_1', httpStatus: '502' } })],
  [50, (id) => delivery('missed_webhook', id, { theirs: { endpointId: 'we_2', httpStatus: null } })],
  [
    40,
    (id) => delivery('rejected_delivery', id, { ours: { refusal: 'unknown secret' }, theirs: { endpointId: 'we_1' } }),
  ],
  [
    25,
    (id) => ({ kind: 'payout_stuck', entity: { kind: 'payout', id }, evidence: { ours: { status: 'processing' } } }),
  ],
  [15, (id) => ({ kind: 'invoice_items_sum', entity: { kind: 'invoice', id }, evidence: {} })],
];

function delivery(kind: NewBreak['kind'], id: string, evidence: NewBreak['evidence']): NewBreak {
  return { kind, entity: { kind: 'delivery', id }, evidence };
}

beforeAll(() => {
  ({ page } = operator);
});

async function click(what: Locator): Promise<void> {
  clicks += 1;
  const scrollY = () => page.evaluate<number>('window.scrollY');
  const before = await scrollY();
  await what.scrollIntoViewIfNeeded();
  scrolled += Math.abs((await scrollY()) - before);
  expect((await what.boundingBox())?.height).toBeGreaterThanOrEqual(
    page.viewportSize()?.width === NARROW.width ? 44 : 24,
  );
  await what.click();
}

async function unclosed(): Promise<number> {
  const row = await store.db('breaks').where({ status: 'open' }).count({ n: '*' }).first();
  return Number(row?.['n']);
}

it.each([
  ['at a desk', WIDE],
  ['on a phone', NARROW],
])(
  '200 breaks of five causes are five decisions, of three clicks and one reason each: %s',
  async (_where, viewport) => {
    const all = causes.flatMap(([count, make], of) =>
      Array.from({ length: count }, (_, n) => make(`${viewport.width}_c${of}_${n}`)),
    );
    await store.db.transaction((trx) => openBreaks(trx, all));
    await page.setViewportSize(viewport);
    [clicks, scrolled] = [0, 0];
    expect(await unclosed()).toBe(200);
    await page.goto('/breaks');
    let decisions = 0;
    const action = page.locator('details.action', { hasText: 'Resolve all' }).first();
    while ((await action.count()) > 0) {
      await click(action.locator('summary'));
      await action.getByLabel('Reason').fill('the cause is gone');
      await click(action.getByRole('button', { name: 'Resolve all' }));
      await click(page.getByRole('button', { name: 'Resolve all' }));
      await page.getByText('breaks: Resolve').waitFor();
      decisions += 1;
    }
    expect({ decisions, clicks, left: await unclosed() }).toEqual({ decisions: 5, clicks: 15, left: 0 });
    const noted = await store.db('break_steps').where({ action: 'resolved', note: 'the cause is gone' });
    expect(noted.length % 200).toBe(0);
    expect(noted.length).toBeGreaterThan(0);
    // A screen and a half for each decision.
    expect(scrolled).toBeLessThan(5 * 1.5 * viewport.height);
  },
);

it('on a phone each payment of a break is a card with all of its fields, its own below one another', async () => {
  const payment = (id: string, totalAmountReceived: string, kyt?: string) => ({
    id,
    status: 'completed',
    totalAmountReceived,
    ...(kyt === undefined ? {} : { kyt }),
  });
  const payments = [payment('pi_first', '10', 'passed'), payment('pi_second', '12'), payment('pi_third', '12')];
  const entity = { kind: 'order', id: 'paid thrice' } as const;
  await store.db.transaction((trx) => openBreaks(trx, [{ kind: 'duplicate_payment', entity, evidence: { payments } }]));
  const { id } = await store.db('breaks').where({ kind: 'duplicate_payment' }).first('id');
  const cellsOf = async () => {
    const cells = await page.locator('.records td').all();
    const shown = await Promise.all(
      cells.map(async (cell) => ({
        box: await cell.boundingBox(),
        column: await cell.evaluate((td: { cellIndex: number }) => td.cellIndex),
        label: await cell.getAttribute('data-label'),
      })),
    );
    return shown.flatMap(({ box, ...cell }) => (box === null ? [] : [{ ...cell, top: box.y, left: box.x }]));
  };
  await page.setViewportSize(NARROW);
  await page.goto(`/breaks/${id}`);
  const cards = (await cellsOf()).toSorted((a, b) => a.top - b.top);
  const fields = ['ID', 'Status', 'Received', 'Kyt'];
  expect(cards.map(({ column }) => column)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
  expect(cards.map(({ label }) => label?.toLowerCase())).toEqual(
    [...fields, ...fields, ...fields].map((label) => label.toLowerCase()),
  );
  expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await page.setViewportSize(WIDE);
  const rows = await cellsOf();
  expect(new Set(rows.map(({ top }) => Math.round(top))).size).toBe(fields.length);
});
