import type { ActionButton, Cell, Facts, Field, Link, Section, TableSection } from './sections.js';
import type { Tone } from './values.js';

export const notice = (tone: Tone, title: string, text: string, link?: Link): Section => {
  return { is: 'notice', tone, title, text, link };
};

/** Text in a fixed pitch, as it is. */
export const code = (title: string, text: string): Section => ({ is: 'code', title, text });

export const facts = (given: Facts): Section => ({ is: 'facts', facts: given });

export const panel = (
  title: string,
  sections: Section[],
  more: { intro?: string | undefined; actions?: (ActionButton | null)[] } = {},
): Section => ({ is: 'panel', title, sections, ...more });

export const factsPanel = (title: string, given: Facts, intro?: string): Section =>
  panel(title, [facts(given)], { intro });

/** A column of a table: what stands above it, and what stands in it of each thing. `wide`: takes what room there is. */
export type Column<Item> = readonly [label: string, cell: (item: Item) => Cell, how?: 'end' | 'wide' | undefined];

export interface TableOf<Item> {
  caption: string;
  /** Left out: a table shows it, a list of a page does not. */
  showCaption?: boolean;
  columns: readonly Column<Item>[];
  /** In place of a table without rows; left out where there always is one. */
  empty?: readonly [title: string, text: string];
}

/** A table with a row for each of `items`. */
export function table<Item>(
  items: readonly Item[],
  { caption, showCaption = true, columns, empty: [title, text] = ['', ''] }: TableOf<Item>,
): TableSection {
  return {
    is: 'table',
    caption,
    showCaption,
    columns: columns.map(([label, _cell, how]) => ({ label, how })),
    rows: items.map((item) => columns.map(([_label, cell]) => cell(item))),
    empty: { title, text },
  };
}

/** Where a list is shown: which part of it, and what of it. */
export interface ListAddress {
  path: string;
  /** Only the page's filters, and only those that are not empty. */
  filters: Readonly<Record<string, string>>;
  cursor?: string;
}

const isNarrowed = ({ filters }: ListAddress): boolean => Object.keys(filters).length > 0;

/** The list that a page is for. `unfit` stands in place of rows where the filters leave none. */
export function listTable<Item>(
  req: ListAddress,
  { items, nextCursor }: { items: readonly Item[]; nextCursor: string | null },
  { unfit, ...of }: TableOf<Item> & { unfit?: TableOf<Item>['empty'] },
): TableSection {
  return {
    ...table(items, { showCaption: false, ...of, ...(unfit !== undefined && isNarrowed(req) ? { empty: unfit } : {}) }),
    first: req.cursor === undefined ? undefined : withQuery(req.path, req.filters),
    next: nextCursor === null ? undefined : withQuery(req.path, { ...req.filters, cursor: nextCursor }),
  };
}

export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A form that narrows the list. What a field does not say otherwise, it holds what the request has of its name. */
export function filters(req: ListAddress, fields: readonly Field[]): Section {
  const filled = fields.map((field) => ({ value: req.filters[field.name] ?? '', ...field }));
  return { is: 'filters', path: req.path, active: isNarrowed(req), fields: filled };
}

/** To choose from: each value as it is, or in words. */
export function options(
  values: readonly string[],
  wordsOf = (value: string) => value,
): { value: string; text: string }[] {
  return values.map((value) => ({ value, text: wordsOf(value) }));
}

/** A field that is no unless somebody chooses yes, each in words. */
export function noOrYes(name: string, label: string, [no, yes]: readonly [no: string, yes: string]): Field {
  return {
    name,
    label,
    options: [
      { value: 'no', text: no },
      { value: 'yes', text: yes },
    ],
  };
}
