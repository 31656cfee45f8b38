import type { RecordKind } from '../../domain/records.js';
import type { Page } from '../page.js';

/** How the records of one kind are shown: its list and the page of one of them are made of this. */
export interface Sheet {
  kind: RecordKind;
  path: `/${string}`;
  title: string;
  /** One of them, in running text. */
  one: string;
  group: Page['group'];
  intro: string;
  /** Said where there is none yet. */
  empty: string;
  /** Filters that are always offered; the others of the read API show once they stand in the address. */
  filters: readonly string[];
  /** Of the list, between the state and the time. */
  columns: readonly string[];
  /** Fields of the page, together as they are read together. Whatever a record has besides comes in a last group. */
  groups: readonly { title: string; fields: readonly string[] }[];
  related: readonly Related[];
}

/** Records that this one is linked with. */
export interface Related {
  title: string;
  kind: RecordKind;
  /** Their field that holds the id of this record. */
  by?: string;
  /** The field of this record that holds theirs; `payins`: its summaries. */
  named?: string;
  /** What it means that there is none. */
  none: string;
}
