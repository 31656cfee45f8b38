import { expect, test } from 'vitest';
import { pages } from '../../src/console/pages/pages.js';
import { conditions } from '../../src/domain/alerts/alerts.js';

test.each(conditions)('$name leads to a page of the console, with filters that it takes', ({ page }) => {
  const { pathname, searchParams } = new URL(page, 'http://console');
  const target = pages.find(({ path }) => path === pathname);
  expect(target?.filters?.map(({ name }) => name) ?? []).toEqual(expect.arrayContaining([...searchParams.keys()]));
  expect(target).toBeDefined();
  // The overview is where the alert is read.
  expect(pathname).not.toBe('/');
});

test.each(['SealingLags', 'SealsUnverified', 'SealsBroken'])('%s leads to the page of the seals', (name) => {
  expect(conditions.find((one) => one.name === `Tallyhook${name}`)?.page).toBe('/audit');
});
