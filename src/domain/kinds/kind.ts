/** The kinds of record that Tallyhook keeps, in the order in which they are locked. Each is defined in a file of its name. */
export const recordKinds = [
  'payment_intent',
  'payin',
  'invoice',
  'payout',
  'account',
  'transaction',
  'balance',
  'endpoint',
  'settlement_account',
  'product',
  'asset',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/**
 * How far on a state stands, and what it is besides: `active` waits for the customer or the chain (minutes to hours); to
 * what is `final` nothing happens any more by itself; what is `off` is final, asks for nothing any more, and nothing came.
 */
interface State {
  rank: number;
  is?: 'active' | 'final' | 'off';
}

interface About {
  /** What it is, for the document of the read API; left out: the name says it. */
  about?: string;
  example?: unknown;
  /** On pages; left out: the name in words. */
  label?: string;
  /** Fields of one title stand together on the record's page (see `group`); left out: in the last group. */
  group?: string;
  /**
   * It says who somebody is, though its name is no such name (domain/personal.ts has those that are in any record): it is masked in
   * records of this kind, in what breaks say of them, and wherever no other kind has a plain field of that name.
   */
  personal?: true;
  /**
   * It has a column: a text or a state is a filter of the lists. One that is added later is empty for records that show the field
   * already, until one of them changes: a poll that shows the same writes no column. Rows are filled by `addedColumns` (records/saving/show-again.ts).
   */
  column?: true;
  /**
   * People search for it: a hash, an address, an e-mail. Found by its column, which has an index then; without one by a key
   * (migrations/0061), that each record has within a day.
   */
  searched?: true;
  /** Copied from the page rather than read. */
  copied?: true;
  /**
   * Some views of the record lack it: the newest value reported stands in where a poll has no such key. Among them what only
   * our own requests say, and what a pointer of the contract found.
   */
  kept?: true;
  /** It holds goods back: a newer report that says otherwise takes `verified` from the poll until the next. */
  decisive?: true;
  /** It changes with the state of that field, and with it alone. */
  with?: string;
  /**
   * Left out: the specification shows it, and the client checks and types it. `created`: it does so in the answer to a creation
   * alone. `unnamed`: the specification names no such field of the record; it is taken as it comes, unchecked.
   */
  only?: 'created' | 'unnamed';
}

interface Plain extends About {
  /** `texts`: an array of them. `list`: an array whose entries are not shown. `any`: its shape is not shown. */
  type: 'id' | 'flag' | 'whole' | 'time' | 'texts' | 'list' | 'object' | 'any';
}

interface Text extends About {
  type: 'text';
  /** It is the id of a record of that kind, or the reference of an order. */
  link?: RecordKind | 'order';
  /** A link to what the payload is about, kept by itself with each report: no other report takes it back. */
  keptEach?: true;
}

/** A word of the service: any text, for the specification's lists are not complete. */
interface Stated extends About {
  type: 'state';
  states?: Readonly<Record<string, State>>;
  /** The rank of states that the specification implies unnamed; left out: its list is complete, and any other state stands nowhere. */
  unlisted?: number;
}

interface Amount extends About {
  /** A decimal string; `signed` may be negative; `total` may too, and has more digits. */
  type: 'amount' | 'signed' | 'total';
  /** Its unit, or the field that names it; null: none. Left out: `assetCode` names it. */
  unit?: { field: string } | string | null;
}

interface Nested extends About {
  /** An object, or an array of them, whose fields the specification names. */
  type: 'record' | 'records';
  of: Fields;
}

export type Field = Plain | Text | Stated | Amount | Nested;
export type Fields = Readonly<Record<string, Field>>;

/** What the data of an event about one kind may carry of another. */
interface Carried {
  kind: RecordKind;
  /** An id alone counts too: the record is to be polled. */
  bare: boolean;
  /** It belongs to what the event is about, so it names it. */
  belongs: boolean;
}

/** Records that one is linked with, as a table of its page. */
export interface Related {
  title: string;
  kind: RecordKind;
  /** Their field that holds the id of this record. */
  by?: string;
  /** The field of this record that holds theirs; `payins`: its summaries. */
  named?: string;
  none: string;
}

/** All that is known of a kind beside its name. What else needs to know something of it derives it from here. */
export interface Kind {
  section: string;
  about: string;
  idExample: string;
  /** What the specification calls the id where it has a name of its own. */
  idField?: string;
  fields: Fields;
  /** Names under which a payload may carry a record, in camel case; its id is there under the same names with `Id`. */
  names: readonly string[];
  /** More of them, of wrappers and of ids, that follow no rule. */
  oddNames?: { wrappers: readonly string[]; ids: readonly string[] };
  eventPrefix?: string;
  carries?: readonly Carried[];
  /** It may speak of a person. */
  speaksOfPeople?: true;
  /** What it means that the service shows one no more: a `break`, nothing (`quiet`), or nothing in one of these last states. */
  vanishing: 'break' | 'quiet' | { quietIn: readonly string[] };
  /** The run that reads it, where it is classified by when it was read. */
  run?: string;
  api: { group: 'Payments' | 'Funds' | 'Balances' | 'Webhooks' | 'Catalog'; one: string; many: string };
  href: `/${string}`;
  /** Left out: it has pages of its own. */
  page?: {
    title: string;
    /** One of them, in running text. */
    one: string;
    group: 'Records' | 'Webhooks' | 'Books';
    intro: string;
    /** Said where there is none yet. */
    empty: string;
    /** Filters that are always offered, besides what names the unit of a column's amounts; the others show once they stand in the address. */
    filters: readonly string[];
    /** Fields in the list, between the state and the time. */
    columns: readonly string[];
    related: readonly Related[];
  };
}

type NameIn<F extends Fields> = keyof F & string;
interface Checked<F extends Fields> {
  fields: F;
  page?: { filters: readonly NameIn<F>[]; columns: readonly NameIn<F>[] };
}

/** The definition as it is; a page that names a field that is none does not compile. */
export function defineKind<const F extends Fields, const K extends Kind & Checked<F>>(kind: K & { fields: F }): K {
  return kind;
}

/** Fields that stand together on the record's page, in this order. */
export function group<const F extends Fields>(title: string, fields: F): F {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, group: title }])) as F;
}

/** Of payments, payins and payouts (specification 2.1, 2.2, 2.4); what a step is made of it shows of payouts alone. */
export const statusHistory = { type: 'list', about: 'Steps, as the service shows them.', example: [] } as const;
