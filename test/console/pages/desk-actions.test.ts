import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  accessibilityProblems,
  NARROW,
  sidewaysScroll,
  signIn,
  startBrowser,
  type Visitor,
  visitor,
  WIDE,
} from '../../support/browser.js';
import { consoleTokens, secretSample, serve, testConsole } from '../../support/console.js';
import { seedConsole } from '../../support/console-samples.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let store: TestDatabase;
let browser: Browser;
let site: Awaited<ReturnType<typeof serve>>;
let commands: ReturnType<typeof testConsole>['commands'];
const other = { ...secretSample, label: 'new', missing: ['it is the newest that matched'] };
const runDoctor = vi.fn(async () => [
  { name: 'endpoint', status: 'finding' as const, found: 'it is inactive', remedy: 'switch it on' },
]);

beforeAll(async () => {
  [store, browser] = await Promise.all([createTestDatabase(), startBrowser()]);
  await seedConsole(store.db);
  const secretsStatus = async () => {
    const { retired_at: at } = await store.db('secrets').where({ label: 'old' }).first();
    const old =
      at === null ? secretSample : { ...secretSample, verdict: 'retired' as const, retiredAt: at.toISOString() };
    return { items: [old, other] };
  };
  const { app, ...rest } = testConsole(store.db, { secretsStatus, runDoctor });
  ({ commands } = rest);
  site = await serve(app);
});
afterAll(async () => {
  await browser.close();
  await site.close();
  await store.drop();
});

async function as(role: string): Promise<Visitor> {
  const guest = await visitor(browser, { baseURL: site.url });
  await signIn(guest.page, consoleTokens.find((entry) => entry.role === role)?.token ?? '');
  return guest;
}

const newestAction = () => store.db('actions').orderBy('id', 'desc').first();
const flashOf = (guest: Visitor) => guest.page.locator('.flash').innerText();

describe('recovering', () => {
  it('a selection shows first what would be recovered, and does it once that is confirmed', async () => {
    const guest = await as('operator');
    const { page, complaints } = guest;
    await page.goto('/deliveries');
    await page.getByLabel('Pick delivery wd_rejected').check();
    await page.getByLabel('Pick delivery wd_pending').check();
    expect(await page.getByLabel('Pick delivery wd_received').count()).toBe(0);
    await page.getByText('Recover the selected…').click();
    await page.getByLabel('Reason').first().fill('the secret was wrong');
    await page.getByRole('button', { name: 'Recover the selected' }).click();
    expect(await page.locator('main').innerText()).toContain('2 deliveries would be recovered');
    expect(await page.getByRole('table', { name: 'What would be recovered' }).innerText()).toMatch(
      /wd_pending[^]*wd_rejected/,
    );
    expect(commands.recover).not.toHaveBeenCalled();
    for (const [size, colorScheme] of [
      [WIDE, 'light'],
      [NARROW, 'dark'],
    ] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
    }
    await page.getByRole('button', { name: 'Recover' }).click();
    expect(await flashOf(guest)).toContain('Asked for 2 deliveries');
    expect(commands.recover).toHaveBeenCalledExactlyOnceWith({
      since: null,
      ids: ['wd_rejected', 'wd_pending'].sort(),
    });
    expect(await newestAction()).toMatchObject({
      actor: 'omar',
      action: 'recover',
      outcome: 'asked',
      reason: 'the secret was wrong',
    });
    expect(complaints).toEqual([]);
    await guest.context.close();
  });
});

describe('a break', () => {
  it('is written off by finance with a note, and by nobody who may not', async () => {
    const [operator, finance] = [await as('operator'), await as('finance')];
    const { id } = await store.db('breaks').where({ kind: 'rejected_delivery' }).first();
    await operator.page.goto(`/breaks/${id}`);
    await operator.page.getByText('Resolve…').waitFor();
    expect(await operator.page.getByText('Write off…').count()).toBe(0);
    await operator.context.close();

    const { page, complaints } = finance;
    await page.goto(`/breaks/${id}`);
    expect(await page.getByText('Resolve…').count()).toBe(0);
    await page.getByText('Write off…').click();
    await page.getByLabel('Reason').fill('paid out by hand');
    await page.getByRole('button', { name: 'Write off' }).click();
    expect(await flashOf(finance)).toContain('written off');
    expect(await page.locator('main').innerText()).toContain('paid out by hand');
    expect(await store.db('breaks').where({ id }).first()).toMatchObject({ status: 'written_off' });
    const kept = await store.db('actions').where({ action: 'write off break', target: `break ${id}` });
    expect(kept).toMatchObject([{ actor: 'fina', outcome: 'done', reason: 'paid out by hand' }]);
    expect(complaints).toEqual([]);
    await finance.context.close();
  });
});

describe('a secret', () => {
  it('is not retired while something is missing, then by force with a reason, and is taken back', async () => {
    const guest = await as('operator');
    const { page, complaints } = guest;
    const retire = async (choice: string) => {
      await page.goto('/secrets');
      await page.getByText('Retire…').first().click();
      await page.getByLabel('If something is missing').first().selectOption(choice);
      await page.getByLabel('Reason').first().fill('it leaked');
      await page.getByRole('button', { name: 'Retire' }).first().click();
    };
    await retire('no');
    expect(await flashOf(guest)).toContain('still pending');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ retired_at: null });
    expect(await newestAction()).toMatchObject({ action: 'retire secret', target: 'secret old', outcome: 'refused' });
    await retire('yes');
    expect(await flashOf(guest)).toContain('retired');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ retired_by: 'omar' });
    const kept = await store.db('actions').where({ action: 'retire secret' }).orderBy('id');
    expect(kept.map(({ outcome }) => outcome)).toEqual(['refused', 'done']);
    await page.getByText('Accept it again…').click();
    await page.getByLabel('Reason').first().fill('it did not leak');
    await page.getByRole('button', { name: 'Accept it again' }).click();
    expect(await flashOf(guest)).toContain('accepted again');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ retired_at: null });
    expect(complaints).toEqual([]);
    await guest.context.close();
  });
});

describe('a secret that leaked', () => {
  it('shows first what comes of it, and does it once that is confirmed', async () => {
    const guest = await as('operator');
    const { page, complaints } = guest;
    await page.goto('/secrets');
    await page.getByText('It leaked…').first().click();
    await page.locator('form[action$="/old/leaked"]').getByLabel('Reason').fill('found in a paste');
    await page.getByRole('button', { name: 'It leaked' }).first().click();
    expect(await page.locator('main').innerText()).toContain('breaks resolved: none');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ leaked_at: null });
    await page.getByRole('button', { name: 'It leaked' }).click();
    expect(await flashOf(guest)).toContain('retired as one that leaked');
    expect(await store.db('secrets').where({ label: 'old' }).first()).toMatchObject({ leaked_at: expect.any(Date) });
    expect(await newestAction()).toMatchObject({
      action: 'secret leaked',
      reason: 'found in a paste',
      outcome: 'done',
    });
    expect(complaints).toEqual([]);
    await guest.context.close();
  });
});

describe('runs and checks', () => {
  it('are asked for, and the checks’ result is kept for everybody', async () => {
    const guest = await as('operator');
    const { page, complaints } = guest;
    await page.goto('/runs?kind=invoices');
    await page.getByText('Start a run…').click();
    expect(await page.locator('.action').getByLabel('Kind').inputValue()).toBe('invoices');
    await page.getByLabel('What to read').selectOption('yes');
    await page.getByLabel('Reason').fill('after the outage');
    await page.getByRole('button', { name: 'Start a run' }).click();
    expect(await flashOf(guest)).toContain('full run of invoices');
    expect(commands.run).toHaveBeenCalledExactlyOnceWith({ kind: 'invoices', full: true });

    await page.goto('/doctor');
    expect(runDoctor).not.toHaveBeenCalled();
    await page.getByText('Run the checks now…').click();
    await page.getByRole('button', { name: 'Run the checks now' }).click();
    await page.getByText('1 finding: something is to be done').waitFor({ timeout: 20_000 });
    expect(await page.locator('main').innerText()).toContain('switch it on');
    expect(runDoctor).toHaveBeenCalledOnce();
    expect(complaints).toEqual([]);
    await guest.context.close();
  });
});
