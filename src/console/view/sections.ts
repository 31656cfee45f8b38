import { UTC } from '../../domain/time-zones.js';
import { type Query, withQuery } from './links.js';
import { none, type Spark, type Tone, type Value } from './values.js';

/** What a page shows, from top to bottom. Each section is drawn by `views/components/<is>.eta`. */
export interface PageView {
  /** Instead of the page's own. */
  title?: string;
  /** Beside the title. */
  badges?: Value[];
  /** Below the title, in a sentence: what this page answers. */
  intro?: string;
  /** The way up, outermost first; the list of what a page shows one of stands before them. */
  crumbs?: Link[];
  /** What can be done here; those that `button` withheld are left out. */
  actions?: (ActionButton | null)[];
  sections: Section[];
}

export type Section =
  | TableSection
  | ChartSection
  /** A form whose fields stand in the address. `active`: one of them narrows the list. */
  | { is: 'filters'; path: string; fields: Field[]; active: boolean; csv: string | null; views: Link[] }
  | { is: 'tiles'; tiles: Tile[] }
  | { is: 'facts'; facts: Facts }
  /** A phone hides the first `calm` of them until they are asked for. */
  | { is: 'timeline'; steps: TimelineStep[]; empty: string; calm: number }
  /** `isBrief`: in one line, where there is room. */
  | { is: 'notice'; tone: Tone; title: string; text: string; link?: Link | undefined; isBrief?: true }
  | { is: 'code'; title: string; text: string }
  | { is: 'panel'; title: string; intro?: string | undefined; actions?: (ActionButton | null)[]; sections: Section[] }
  /** Side by side where there is room. */
  | { is: 'columns'; columns: Section[][] }
  /** A phone hides them until they are asked for: they ask nobody for anything. `label`: on what asks for them. */
  | { is: 'calm'; label: string; sections: Section[] };

export type Facts = (readonly [label: string, value: Value])[];

export interface Link {
  text: string;
  href: string;
}

export interface Field {
  name: string;
  label: string;
  /** What it holds; left out: nothing. */
  value?: string;
  hint?: string;
  /** Left out: any text. */
  options?: readonly { value: string; text: string }[] | undefined;
  /** Of a choice: what none means. Left out, a form that narrows a list says “All”, and one that does something has no empty choice. */
  all?: string;
  /** Left out: a text. A `datetime-local` holds `2026-10-31T18:00`. */
  type?: 'date' | 'datetime-local';
  /** In a form that does something: it must not be empty. */
  required?: boolean;
  /** What is wrong with what it holds. */
  error?: string | undefined;
}

export interface TableSection {
  is: 'table';
  /** Said of the table to who can't see it, and shown above it where `showCaption`. */
  caption: string;
  showCaption?: boolean;
  /** `wide`: takes what room there is. */
  columns: readonly { label: string; how?: Column<never>[2] }[];
  rows: Cell[][];
  empty: { title: string; text: string };
  /** Addresses of the first and of the next page, where there are such. */
  first?: string | undefined;
  next?: string | undefined;
  /** Of a list, which goes on. */
  nextCursor?: string | null;
  onPhone?: OnPhone | undefined;
  /** Rows that a phone hides until they are asked for, by their places, and what asks for them. */
  calm?: { label: string; places: readonly number[] } | undefined;
  /** Where it is asked how many rows are newer than these, and where the list begins. */
  news?: string | undefined;
  top?: string;
  /** `isMain`: the one that the page is for; it can be skipped to. `isGrid`: its cells are one stop of the Tab key, as those of a matrix are. */
  isMain?: boolean | undefined;
  isGrid?: boolean | undefined;
}

/**
 * On a phone a row is a card, each cell with its label. `brief`: its cells run on without labels, as what they are is plain; `folded`: of two or
 * three lines, a touch shows the rest (of the first its `remedy` stands too); `matrix`: it stays a row, its cells are few and short; `records`: a column is a card, its first one the labels.
 */
type OnPhone = 'brief' | 'folded' | 'matrix' | 'records';

export interface Tile {
  label: string;
  value: string;
  unit?: string;
  note?: string;
  tone?: Tone;
  href?: string;
  spark?: Spark;
}

export interface TimelineStep {
  /** `left`: webhooks said so. `right`: the service's lists showed it. */
  side: 'left' | 'right' | 'both';
  time: Value;
  title: Value[];
  tone: Tone;
  /** Where it is known from. */
  source: Value[];
  changes: { field: string; from: Value | null; to: Value }[];
}

export interface ChartSection {
  is: 'chart';
  title: string;
  summary: string;
  width: number;
  height: number;
  /** One bar each: the parts of a bar stand upon each other. */
  bars: { x: number; width: number; label: string; parts: { y: number; height: number; tone: Tone }[] }[];
  legend: { tone: Tone; text: string }[];
  axis: { first: string; last: string; highest: string };
  /** The same in numbers. */
  table?: TableSection;
}

/** What stands in a cell of a table: a value, something to do, or a box that picks the row for the form of a button. */
export type Cell =
  | Value
  | { is: 'action'; button: ActionButton | null }
  | { is: 'pick'; button: ActionButton; name: string; value: string; label: string };

/** A form that does something, folded behind its button; made by `PageRequest.button`. */
export interface ActionButton {
  href: string;
  label: string;
  explain: string;
  needsReason: boolean;
  /** What was given as the reason, and what is wrong with that; left out: nothing yet. */
  reason?: Pick<Field, 'value' | 'error'>;
  tone: 'bad' | null;
  fields: readonly Field[];
  hidden: { name: string; value: string }[];
  /** Unlike any other on the page: what labels refer to. */
  key: string;
}

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

/** Of what stands there nothing is to be done: `what` it is. */
export const calm = (what: string, sections: Section[]): Section[] =>
  sections.length === 0 ? [] : [{ is: 'calm', label: `Show ${what}`, sections }];

export const factsPanel = (title: string, given: Facts, intro?: string): Section =>
  panel(title, [facts(given)], { intro });

/** A column of a table: what stands above it, and what stands in it of each thing. `wide`: takes what room there is. */
export type Column<Item> = readonly [label: string, cell: (item: Item) => Cell, how?: 'end' | 'wide' | 'remedy'];

/** A column of boxes, each of which picks its row for the form of the button; none where that is withheld. `of`: null has no box. */
export function pickColumn<Item>(
  button: ActionButton | null,
  of: (item: Item) => { id: string; label: string } | null,
): Column<Item>[] {
  if (button === null) return [];
  const cell = (item: Item): Cell => {
    const picked = of(item);
    return picked === null ? none('') : { is: 'pick', button, name: 'id', value: picked.id, label: picked.label };
  };
  return [['Pick', cell]];
}

export interface TableOf<Item> extends Pick<TableSection, 'onPhone' | 'isMain' | 'isGrid'> {
  caption: string;
  /** Left out: a table shows it, a list of a page does not. */
  showCaption?: boolean;
  columns: readonly Column<Item>[];
  /** In place of a table without rows; left out where there always is one. */
  empty?: readonly [title: string, text: string] | undefined;
  /** Rows that ask nobody for anything: a phone hides them until they are asked for. `label`: what they are. */
  calm?: { label: string; is: (item: Item, place: number) => boolean };
}

/** So many rows of what waits for somebody stand on a phone, as of a list. */
export const FIRST_ROWS = 12;

/** The first of a long table are enough on a phone. */
export const beyond = (most: number) => ({ label: 'more', is: (_item: unknown, place: number) => place >= most });

export function table<Item>(
  items: readonly Item[],
  { caption, showCaption = true, columns, empty: [title, text] = ['', ''], calm, ...how }: TableOf<Item>,
): TableSection {
  const places = calm === undefined ? [] : items.flatMap((item, place) => (calm.is(item, place) ? [place] : []));
  return {
    is: 'table',
    calm: calm && places.length > 0 ? { label: `Show ${places.length} ${calm.label}`, places } : undefined,
    caption,
    showCaption,
    columns: columns.map(([label, _cell, how]) => ({ label, how })),
    rows: items.map((item) => columns.map(([_label, cell]) => cell(item))),
    empty: { title, text },
    ...how,
  };
}

/** What something would come to, as it is said to who decides. */
export const lineByLine = (caption: string, lines: readonly string[]): Section =>
  table(lines, { caption, columns: [['Line by line', (line) => ({ is: 'text', text: line }), 'wide']] });

/** What the days of a list are, where they are not those of the reader’s zone. */
export type ListDays = 'books' | 'none';

/** Narrows a list. Its `options` are ours: any other word is refused. */
export interface Filter extends Field {
  /** Links alone name it: its form has it where the request does. */
  onlyNamed?: true;
}

/** Where a list is shown: which part of it, and what of it. */
export interface ListAddress {
  path: string;
  /** Only the page's filters, and only those that are not empty. */
  filters: Query;
  cursor?: string;
  /** What it can be narrowed by; left out: nothing. */
  fields?: readonly Filter[] | undefined;
  /** It is taken along as a file, and narrowed to days. */
  list?: { days?: ListDays } | undefined;
  /** In which its days are read. */
  zone?: string;
}

const isNarrowed = ({ filters }: ListAddress): boolean => Object.keys(filters).length > 0;

/** A list of a page, the one that it is for where no other is said to be. `unfit` stands in place of rows where the filters leave none. */
export function listTable<Item>(
  req: ListAddress,
  { items, nextCursor, newest }: { items: readonly Item[]; nextCursor: string | null; newest?: string },
  { unfit, ...of }: TableOf<Item> & { unfit?: TableOf<Item>['empty'] },
): TableSection {
  const empty = unfit !== undefined && isNarrowed(req) ? unfit : of.empty;
  return {
    ...table(items, { showCaption: false, isMain: true, ...of, empty }),
    nextCursor,
    news: newest === undefined ? undefined : withQuery(`/new${req.path}`, { ...req.filters, cursor: newest }),
    top: withQuery(req.path, req.filters),
    first: req.cursor === undefined ? undefined : withQuery(req.path, req.filters),
    next: nextCursor === null ? undefined : withQuery(req.path, { ...req.filters, cursor: nextCursor }),
  };
}

/** A form that narrows the list; each field holds what the request has of its name. `views`: what is often asked for. `changes`: of fields, as they are now. */
export function filters(
  req: ListAddress,
  { views = {}, changes = {} }: { views?: Record<string, Query>; changes?: Record<string, Partial<Field>> } = {},
): Section {
  const { list, fields = [], zone = UTC } = req;
  const inZone = list?.days === 'books' || zone === UTC ? '' : `, ${zone}`;
  const days: readonly Field[] =
    list !== undefined && list.days !== 'none'
      ? [
          { name: 'from', label: `From${inZone}`, type: 'date' },
          { name: 'to', label: `Up to${inZone}`, type: 'date' },
        ]
      : [];
  const offered = fields.filter(({ name, onlyNamed }) => onlyNamed === undefined || name in req.filters);
  return {
    is: 'filters',
    path: req.path,
    active: isNarrowed(req),
    fields: [...offered, ...days].map((one) => ({ value: req.filters[one.name] ?? '', ...one, ...changes[one.name] })),
    csv: list !== undefined ? withQuery(`/csv${req.path}`, req.filters) : null,
    views: Object.entries(views).map(([text, query]) => ({ text, href: withQuery(req.path, query) })),
  };
}

/** To choose from: each value as it is, or in words. */
export const options = (values: readonly string[], wordsOf = (value: string) => value) =>
  values.map((value) => ({ value, text: wordsOf(value) }));

/** A field that is no unless somebody chooses yes, each in words. */
export function noOrYes(name: string, label: string, [no, yes]: readonly [no: string, yes: string]): Field {
  return { name, label, options: options(['no', 'yes'], (value) => (value === 'no' ? no : yes)) };
}
