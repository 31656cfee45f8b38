import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import sparticuz from '@sparticuz/chromium';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, inject } from 'vitest';
import { until } from './drill.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** A process of its own for each page, and no graphics card made by software: it takes half of the browser's time. */
const NOT_FOR_US = /^--(single-process|ignore-gpu-blocklist|in-process-gpu|use-gl|use-angle|enable-unsafe-swiftshader)/;

/** The browser that comes with an npm package: nothing is to be installed. Also as root, without its sandbox. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await unpacked(),
    args: [...sparticuz.args.filter((arg) => !NOT_FOR_US.test(arg)), '--no-sandbox', '--disable-gpu'],
    headless: true,
    // What it forgets there goes with the run.
    env: { ...process.env, TMPDIR: inject('runFolder') },
  });
}

/** Unpacked once for the run, not for each file: who comes meanwhile waits until it is there whole. */
async function unpacked(): Promise<string> {
  const own = process.env['TMPDIR'];
  const whole = path.join(inject('runFolder'), 'browser-is-unpacked');
  const isFirst = await writeFile(`${whole}.begun`, '', { flag: 'wx' }).then(
    () => true,
    () => false,
  );
  if (!isFirst) await until('the browser is unpacked', () => existsSync(whole));
  process.env['TMPDIR'] = inject('runFolder');
  try {
    const executable = await sparticuz.executablePath();
    await writeFile(whole, '');
    return executable;
  } finally {
    if (own === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = own;
  }
}

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** What the browser complained about since: errors of scripts, files not found, the content policy. */
  complaints: string[];
}

interface VisitorOptions {
  baseURL: string;
  colorScheme?: 'light' | 'dark';
  viewport?: typeof WIDE;
}

/** One browser for all tests of a file; what it returns makes a new visitor, from the hooks on. It goes after all of theirs. */
export function useBrowser(): (options: VisitorOptions) => Promise<Visitor> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  return (options) => visitor(browser, options);
}

/** A new visitor without cookies. */
export async function visitor(
  browser: Browser,
  { baseURL, colorScheme = 'light', viewport = WIDE }: VisitorOptions,
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL, colorScheme, viewport });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, context, complaints };
}

/** Signs in by the form, as a person would. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('Your token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Violations of WCAG 2.1 A and AA on the page as it stands, in words; `but`: what was examined elsewhere, as a selector. */
export async function accessibilityProblems(page: Page, { but }: { but?: string } = {}): Promise<string[]> {
  // Colours that were changed a moment ago are on their way for a tenth of a second.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(done)).then(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)))',
  );
  // Past the content policy, which still holds for the page, and is listened to.
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ exclude: but ? [but] : [] })}, {
      runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] },
      rules: { 'empty-table-header': { enabled: true } },
      resultTypes: ['violations'],
    })`,
  )) as AxeResults;
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`,
  );
}

/** What the page is made of: its elements with their types and classes. */
export async function partsOf(page: Page): Promise<string[]> {
  return page.evaluate(
    `[...document.querySelectorAll('body *')].map(({ tagName, type, className }) => [tagName, type, className].join('.'))`,
  );
}

/** How many pixels the page is wider than its window: 0 where nothing scrolls sideways. */
export async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Tables of which a part is hidden behind an edge, and by how many pixels, were every id as long as those of the service. */
export async function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    for (const id of document.querySelectorAll('.table .id code')) id.textContent = id.textContent.padEnd(32, '0');
    return [...document.querySelectorAll('.table-box')]
      .filter((box) => box.scrollWidth > box.clientWidth)
      .map((box) => box.getAttribute('aria-label') + ': ' + (box.scrollWidth - box.clientWidth));
  })()`);
}
