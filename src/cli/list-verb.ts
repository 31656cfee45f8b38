import { type Command, Option } from 'commander';
import type { Knex } from 'knex';
import type { z } from 'zod';
import { wordsOf } from '../domain/views/parts.js';
import type { Page, PageQuery } from '../records/database/paging.js';
import { type Flags, listFlags } from './arguments.js';
import { type Columns, EXIT_FINDINGS, printList, printNote } from './print.js';
import { type Store, withStore } from './with-store.js';

interface Listed<Item, Query, Listing extends Page<Item>> {
  columns: Columns<Item>;
  /** What a terminal has no room for; `show` has it. */
  besides?: Columns<Item>;
  /** Gets the words that narrow the list by their own names. */
  list: (db: Knex, query: Query, store: Store) => Promise<Listing>;
  /** With such an item the exit code is 3. */
  isFinding?: (item: Item) => boolean;
  /** What people are shown beside the page. */
  about?: (page: Listing) => string[];
}

/** Adds `list`: a page, newest first. Options that are added to what it returns narrow the list. */
export function listVerb<Item, Query extends PageQuery, Listing extends Page<Item>>(
  command: Command,
  description: string,
  { columns, besides, list, isFinding = () => false, about = () => [] }: Listed<Item, Query, Listing>,
): Command {
  return listFlags(command.command('list').description(description)).action(({ json = false, ...query }: Flags) =>
    withStore(async (store) => {
      const page = await list(store.db, query as Query, store);
      printList(page, json, columns, besides && { columns: besides, show: `tallyhook ${command.name()} show` });
      if (!json) for (const line of about(page)) printNote(line);
      if (page.items.some(isFinding)) process.exitCode = EXIT_FINDINGS;
    }),
  );
}

/** An option that takes the words of this field of the item, and no other; of a field that takes any text, any. */
export function wordOption(
  shape: z.ZodObject,
  field: string,
  description: string,
  more: readonly string[] = [],
): Option {
  const option = new Option(`--${field} <${field}>`, description);
  const words = wordsOf(shape.shape[field]);
  return words === 'text' ? option : option.choices([...words, ...more]);
}
