import type { Router } from 'express';
import { expect, test } from 'vitest';
import { openAccount } from '../../src/sandbox/account.js';
import { NO_FAULTS } from '../../src/sandbox/faults.js';
import { createApp } from '../../src/sandbox/http/app.js';
import { createService } from '../../src/sandbox/service.js';
import { DEFAULT_SETTINGS } from '../../src/sandbox/settings.js';
import { readDocument } from './documents.js';

const page = readDocument('docs/sandbox.md').text;
const [, , controls = '', faults = ''] = page.split(/^## /m);

/** What stands between backticks in the first cell of each row. */
function firstCells(section: string): string[] {
  const rows = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  return rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

/** As Express has it, beyond its types. */
interface Layer {
  handle: { stack: { route: { path: string; stack: { method: string }[] } }[] };
  match: (path: string) => boolean;
}

/** Method and path of each route under /sandbox, as the document writes them. */
function routesOfSandbox(): string[] {
  const service = createService(DEFAULT_SETTINGS);
  const identity = { id: 'mer_1', email: 'own@merchant.example' };
  const own = openAccount(service, { identity, settlementAddress: '+22890123456', seed: 1, past: DEFAULT_SETTINGS });
  const layers = (createApp({ service, own, other: own, host: '127.0.0.1' }).router as Router)
    .stack as unknown as Layer[];
  const mounted = layers.filter((layer) => layer.match('/sandbox/x') && !layer.match('/x'));
  service.clock.close();
  return mounted
    .flatMap(({ handle }) => handle.stack)
    .flatMap(({ route: { path, stack } }) =>
      stack.map(({ method }) => `${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
}

test('the page names each control of the sandbox, and no other', () => {
  const routes = routesOfSandbox();
  expect(routes.length).toBeGreaterThan(35);
  expect(firstCells(controls).toSorted()).toEqual(routes.toSorted());
});

test('the page names each fault of the sandbox, and no other', () => {
  expect(firstCells(faults).toSorted()).toEqual(Object.keys(NO_FAULTS).toSorted());
});
