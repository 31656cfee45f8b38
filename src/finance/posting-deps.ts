import type { Knex } from 'knex';
import type { MovementTable } from '../domain/balances/movement-table.js';
import type { Logger } from '../log.js';

export interface PostingDeps {
  db: Knex;
  log: Logger;
  /** By what balances are proven. */
  table: MovementTable;
  /** Of the books: decides days and months. */
  timeZone: string;
  /** In which lines are valued. */
  currency: string;
}

/** What is appended sees one moment of the records. */
export const oneMoment = { isolationLevel: 'repeatable read' } as const;
