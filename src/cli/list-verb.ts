import type { Command } from 'commander';
import type { Knex } from 'knex';
import type { Page, PageQuery } from '../records/database/paging.js';
import { type Flags, listFlags } from './arguments.js';
import { type Columns, EXIT_FINDINGS, printList } from './print.js';
import { type Store, withStore } from './with-store.js';

interface Listed<Item, Query> {
  columns: Columns<Item>;
  /** Gets the words that narrow the list by their own names. */
  list: (db: Knex, query: Query, store: Store) => Promise<Page<Item>>;
  /** With such an item the exit code is 3. */
  isFinding?: (item: Item) => boolean;
}

/** Adds `list`: a page, newest first. Options that are added to what it returns narrow the list. */
export function listVerb<Item, Query extends PageQuery>(
  command: Command,
  description: string,
  { columns, list, isFinding = () => false }: Listed<Item, Query>,
): Command {
  return listFlags(command.command('list').description(description)).action(({ json = false, ...query }: Flags) =>
    withStore(async (store) => {
      const page = await list(store.db, query as Query, store);
      printList(page, json, columns);
      if (page.items.some(isFinding)) process.exitCode = EXIT_FINDINGS;
    }),
  );
}
