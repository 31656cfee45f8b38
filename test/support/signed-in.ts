import { afterAll, beforeAll, expect } from 'vitest';
import type { Role } from '../../src/domain/console-roles.js';
import { signIn, useBrowser, type Visitor, type WIDE } from './browser.js';
import { serve, testConsole, tokenOf } from './console.js';
import type { TestDatabase } from './database.js';

interface SignedIn {
  store: TestDatabase;
  role: Role;
  viewport?: typeof WIDE;
  /** Fills the database before the console first reads it: what the console knows of the whole is kept for seconds. */
  seed?: () => Promise<unknown>;
}

/** Somebody who is signed in to the console of the database, from the hooks on; the browser complains of nothing. */
export function useSignedIn({ store, role, viewport, seed }: SignedIn): Visitor {
  const visitor = useBrowser();
  const person = {} as Visitor;
  let site: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    await seed?.();
    site = await serve(testConsole(store.db).app);
    Object.assign(person, await visitor({ baseURL: site.url, ...(viewport && { viewport }) }));
    await signIn(person.page, tokenOf(role));
  });
  afterAll(async () => {
    expect(person.complaints).toEqual([]);
    await site.close();
  });
  return person;
}
