import type { Knex } from 'knex';
import type { MovementTable } from '../domain/balances/movement-table.js';
import type { Logger } from '../log.js';
import type { Trx } from '../records/database/statements.js';

export interface PostingDeps {
  db: Knex;
  log: Logger;
  /** By what balances are proven. */
  table: MovementTable;
  /** Of the books: decides days and months. */
  timeZone: string;
  currency: string;
}

/** The books within one transaction that holds their locks. */
export interface Books extends Pick<PostingDeps, 'timeZone' | 'currency'> {
  trx: Trx;
  /** Assets whose books are open, and since when, in ms. */
  opened: ReadonlyMap<string, number>;
  /** The place in the history of changes until which is known what is written. */
  written: string;
}

/** What is appended sees one moment of the records. */
export const oneMoment = { isolationLevel: 'repeatable read' } as const;
