import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/console/pages/pages.js';
import { NARROW, signIn, useBrowser, type Visitor, WIDE } from '../../support/browser.js';
import { judgedBalance } from '../../support/classified-balance.js';
import { serve, testConsole, tokenOf } from '../../support/console.js';
import { samplePaths, seedConsole } from '../../support/console-samples.js';
import { useDatabase } from '../../support/database.js';
import { postBooks } from '../../support/posted-books.js';
import { rebooked } from '../../support/rebooked.js';
import { showRates } from '../../support/shown-rates.js';

/* Each kind of flaw that a picture of a page once showed is looked for on every page. */
const store = useDatabase();
const visitor = useBrowser();
let site: Awaited<ReturnType<typeof serve>>;
let admin: Visitor;
let page: Page;

beforeAll(async () => {
  await seedConsole(store.db);
  await rebooked(store.db, 'USDT.TRON', new Date().toISOString().slice(0, 10));
  const assetCode = 'ETH.ARBITRUM';
  await judgedBalance(store.db, {
    assetCode,
    opening: '148211.531200000000000001',
    balance: '148211.531200000000000001',
  });
  await showRates(store.db, [{ assetCode, rate: '3178.45', at: Date.now() }]);
  await postBooks(store.db);
  site = await serve(testConsole(store.db).app);
  admin = await visitor({ baseURL: site.url });
  ({ page } = admin);
  await signIn(page, tokenOf('admin'));
});
afterAll(() => site.close());

const paths = [
  ...pages.map(({ path }) => samplePaths[path] ?? path),
  '/breaks?status=any',
  '/nothing-is-here',
  '/sign-in',
];
/** The right end of the text in it, and where its first line is. */
const MEASURE = `const textOf = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const boxes = [];
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    boxes.push(...[...range.getClientRects()].filter(({ width }) => width > 0));
  }
  return { right: Math.max(...boxes.map(({ right }) => right)), lines: new Set(boxes.map(({ bottom }) => Math.round(bottom / 8))).size };
};
const shown = (css, from = document) => [...from.querySelectorAll(css)].filter((one) => one.checkVisibility());
const isInSentence = (link) => {
  const sentence = link.matches('a') && link.closest('p, .prose:not(a)');
  const links = sentence ? [...sentence.querySelectorAll('a')].map((one) => one.textContent) : [];
  return sentence && /[a-z]{2}/i.test(links.reduce((text, one) => text.replace(one, ''), sentence.textContent));
};
const differ = (numbers) => numbers.length > 0 && Math.max(...numbers) - Math.min(...numbers) > 1.5;`;
const flaws = (body: string) => page.evaluate<string[]>(`(() => { ${MEASURE} ${body} })()`);

/** What a page is asked for, at a width; of each flaw a line. */
const ON_WIDE: readonly (readonly [law: string, body: string])[] = [
  [
    'numbers of a column end under each other, also those in a badge, and those of several lines in a cell',
    `return shown('.table').flatMap((table) => [...table.querySelectorAll('th')].flatMap((head, place) => {
      const cells = [...table.querySelectorAll('tbody tr')].flatMap((row) => row.children[place] ?? []);
      const single = head.classList.contains('end') ? cells.filter((cell) => !cell.querySelector('.copy, a, .quiet, svg, input, .values')) : [];
      const stacked = cells.flatMap((cell) => shown('.stacked > .values > .amount:last-child', cell));
      return [single, stacked].filter((some) => differ(some.map((one) => textOf(one).right))).map(() => table.caption.textContent + ': ' + head.textContent);
    }));`,
  ],
  [
    'fields of a form that narrows a list stand in rows: their labels at one height, their boxes too; what ends it stays together',
    `return shown('.filters').flatMap((form) => {
      form.querySelector('#fold')?.click();
      const rows = Map.groupBy(shown('.field', form), (field) => Math.round(field.getBoundingClientRect().bottom / 12));
      const uneven = [...rows.values()].filter((row) => ['label', 'input, select'].some((css) => differ(row.map((field) => field.querySelector(css).getBoundingClientRect().top))));
      const ends = shown('.button, .clear', form.querySelector('.filter-bar') ?? form).map((one) => one.getBoundingClientRect()).map(({ top, height }) => top + height / 2);
      return [...uneven.map((row) => row.map((field) => field.textContent.trim()).join()), ...(differ(ends) ? ['Apply, Clear, CSV'] : [])];
    });`,
  ],
  [
    'a time of a list is its age and one line more',
    `return shown('#list:has(th):not(:has(th:nth-child(8))) .exact-time').filter((time) => textOf(time).lines > 1).map((time) => time.textContent);`,
  ],
  [
    'no column of a table is cut off',
    `return shown('.table-box').filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.querySelector('caption')?.textContent ?? '');`,
  ],
  [
    'what the page is called is no heading of it besides',
    `const title = document.querySelector('h1').textContent.trim();
    return shown('main h2').filter((head) => head.textContent.trim() === title).map(() => title);`,
  ],
  [
    // The last: it changes the page.
    'no heading of a column of numbers is longer than two lines, however short they are',
    `for (const cell of document.querySelectorAll('tbody td.end')) cell.textContent = '1';
    return shown('thead th.end').filter((head) => textOf(head).lines > 2).map((head) => head.textContent);`,
  ],
];
const ON_PHONE: typeof ON_WIDE = [
  [
    'no page is longer than ten screens',
    `return document.documentElement.scrollHeight > 10 * innerHeight ? [String(document.documentElement.scrollHeight)] : [];`,
  ],
  [
    'what is done with a page, and with its list, stands in one line',
    `return ['.head-line > .actions > .action > summary', '.filters:not(:has(> .switch:checked)) :is(label.on-phone, .clear)']
      .filter((css) => differ(shown(css).map((one) => one.getBoundingClientRect()).map(({ top, height }) => top + height / 2)));`,
  ],
  [
    'a sentence among facts has the width of the page',
    `return shown('.facts dd > .prose').filter((text) => text.parentElement.clientWidth < innerWidth * 0.7).map((text) => text.textContent);`,
  ],
  [
    'what opens in a card lies above the cards below it, and is no wider than the page',
    `return shown('tbody .action').flatMap((action) => {
      action.open = true;
      const form = action.querySelector('.action-form');
      const button = form.querySelector(':scope > .button');
      button.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = button.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      const isWide = form.getBoundingClientRect().right > innerWidth;
      action.open = false;
      return hit === button && !isWide ? [] : [button.textContent];
    });`,
  ],
  [
    'the ground below a short page is that of the page',
    `const ground = (one) => { const { backgroundColor } = getComputedStyle(one); return one.parentElement && /rgba\\(.*, 0\\)/.test(backgroundColor) ? ground(one.parentElement) : backgroundColor; };
    return [...document.querySelectorAll('.frame')].filter((frame) => ground(frame) !== ground(frame.querySelector('.content'))).map(() => 'frame');`,
  ],
  [
    'the word on a button stands in its middle',
    `return shown('.button').filter((button) => {
      const box = button.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(button);
      const text = range.getBoundingClientRect();
      return Math.abs(text.left + text.width / 2 - box.left - box.width / 2) > 2;
    }).map((button) => button.textContent);`,
  ],
  [
    // The last: it changes the page.
    'whatever is touched is 44 px high, but a link within a sentence: also what is folded at first',
    `const isTouched = 'a, button, summary, select, textarea, input:not([type=hidden]), label.button';
    const small = (from) => shown(isTouched, from).filter((one) => !one.matches('.skip, .switch') && !isInSentence(one)).filter((one) => {
      // The filters scroll sideways.
      one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      scrollTo(0, scrollY + one.getBoundingClientRect().top - innerHeight / 2);
      const { left, width, top, height } = [...one.getClientRects()].find((box) => box.width > 0);
      const isHit = (by) => {
        const at = document.elementFromPoint(left + Math.min(width / 2, 20), top + height / 2 + by)?.closest(isTouched + ', label');
        return at === one || (at != null && at.control === one);
      };
      let [up, down] = [0, 0];
      while (up < 44 && isHit(-up)) up += 1;
      while (down < 44 && isHit(down)) down += 1;
      return up + down < 44;
    }).map((one) => one.outerHTML.slice(0, 120));
    const folded = small();
    for (const unfolds of document.querySelectorAll('.switch:not(:checked)')) unfolds.click();
    for (const details of document.querySelectorAll('details:not(.action)')) details.open = true;
    const unfolded = small();
    const forms = [...document.querySelectorAll('details.action')].flatMap((action) => {
      action.open = true;
      const own = small(action);
      action.open = false;
      return own;
    });
    return [...folded, ...unfolded, ...forms];`,
  ],
];

describe.each([
  ['wide', WIDE, ON_WIDE],
  ['on a phone', NARROW, ON_PHONE],
] as const)('every page, %s', (_width, viewport, laws) => {
  it.each(paths)('%s', async (path) => {
    await page.setViewportSize(viewport);
    await page.goto(path);
    const found: Record<string, string[]> = {};
    for (const [law, body] of laws) {
      const own = await flaws(body);
      if (own.length > 0) found[law] = own;
    }
    expect(found).toEqual({});
  });
});

it('how many are picked stands on the button that does something with them', async () => {
  await page.setViewportSize(WIDE);
  await page.goto('/breaks?status=any');
  const button = page.locator('.head-line summary', { hasText: 'Decide the picked' });
  const boxes = page.locator('#list tbody input[type="checkbox"]');
  await boxes.first().check();
  expect(await button.innerText()).toBe('Decide the picked… (1)');
  await page.getByLabel('Pick all of this page').check();
  expect(await button.innerText()).toBe(`Decide the picked… (${await boxes.count()})`);
  await page.getByLabel('Pick all of this page').uncheck();
  expect(await button.innerText()).toBe('Decide the picked…');
});

it('what is renewed of a page leads where the page does', async () => {
  for (const { path } of pages.filter(({ live }) => live === true)) {
    const address = samplePaths[path] ?? path;
    await page.goto(address);
    const first = await page.evaluate<string>(
      `fetch(${JSON.stringify(`/live${address}`)}).then(async ({ body }) => { const reader = body.getReader(); let text = ''; while (!/\\ndata: .*\\n\\n/.test(text)) text += new TextDecoder().decode((await reader.read()).value); await reader.cancel(); return text; })`,
    );
    expect(first).toMatch(/"section-\d+"/);
    expect(first.match(/(href|action|value)=\\"[^"]*\/live\/[^"]*"/g)).toBeNull();
  }
});
