import type { z } from 'zod';
import type { Actor, Role } from '../domain/console-roles.js';
import type { Request as Asks } from '../finance/decisions/decision-kind.js';
import type { KnownState } from '../records/alerts/load-state.js';
import type { DayMoney } from '../records/books/day-money.js';
import type { PageQuery } from '../records/database/paging.js';
import type { Trx } from '../records/database/statements.js';
import type { ApiDeps } from './api-deps.js';
import type {
  ActionButton,
  Field,
  Filter,
  ListAddress,
  ListDays,
  PageView,
  Section,
  TableSection,
} from './view/sections.js';

/** What pages and actions need besides what the read API needs. */
export interface PageDeps extends ApiDeps {
  now: () => Date;
  /** SERVICE_BASE_URL. */
  serviceBaseUrl: string;
  /** How the whole is, read once for all that is shown in two seconds. */
  state: () => Promise<KnownState>;
  /** What came in and went back today, some seconds old. */
  dayMoney: () => Promise<DayMoney>;
  /** How far apart the runs of each kind are; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
  /** Names of the channels that are configured. */
  alertChannels: readonly string[];
  /** How full each queue is; `state` is null where it could not be asked. */
  queues: () => Promise<QueueReading[]>;
  /** Probes every dependency and assumption; may take minutes, and ends by itself. */
  runDoctor: () => Promise<DoctorLine[]>;
  /** Asks the schedulers to verify all seals in somebody's name. */
  verifySeals: (actor: string) => Promise<void>;
}

/** What is given to the console; the rest it makes of it. */
export type GivenDeps = Omit<PageDeps, 'state' | 'dayMoney'>;

export interface QueueReading {
  name: string;
  state: { waiting: number; active: number; delayed: number; failed: number; oldestAt: number | null } | null;
}

/** `unknown`: it is not known, and why; neither good nor bad. */
export interface DoctorLine {
  name: string;
  status: 'ok' | 'finding' | 'unknown';
  found: string;
  /** What to do; null where nothing is to be done. Of what is `ok` it is advice. */
  remedy: string | null;
  /** What comes of it, in words; left out: nothing. */
  follows?: readonly string[];
  /** What keeps its remedy from working; left out: nothing does. */
  waitsFor?: string;
  /** A finding that nobody fixes here: it ends by itself. */
  isWatched?: true;
  /** The cause that it follows from, which is a finding of its own; left out: none. */
  because?: string;
}

/** As `newest_results` keeps it; `error`: why they could not be run. */
export interface DoctorResult {
  items?: readonly DoctorLine[];
  error?: string;
}

/**
 * Something a person can do: always a POST form with a token of the session, kept in the `actions` table with its actor
 * and reason, and answered by a redirect to the page it came from.
 */
export interface Action {
  /** As express reads it, below the page it belongs to: `/events/:id/replay`. */
  path: string;
  /** As the audit calls it. */
  name: string;
  /** Who may besides admin. */
  roles: readonly Role[];
  /** On the button: a verb and what it is done to. */
  label: string;
  /** What will happen, in a sentence or two. */
  explain: string;
  /** Left out: it needs one. */
  needsReason?: false;
  /** Colours the confirming button. */
  tone?: 'bad';
  /** What the person fills in besides the reason. */
  fields?: readonly Field[];
  /** Reads the form's fields, all strings; what it refuses is said beside the field, in the form as it was filled in (400). Left out: no field counts. */
  input?: z.ZodType<Record<string, unknown>>;
  /** Shown with a confirming button before anything is done. `refused`: it can't be, in a sentence; the form comes back as it was filled in. */
  preview?(deps: PageDeps, request: ActionRequest): Promise<Preview | Section[] | { refused: string }>;
  /** What is asked of another person instead where FOUR_EYES is on; null: it is done at once. */
  asks?(deps: PageDeps, request: ActionRequest): Asks | null | Promise<Asks | null>;
  /** In a transaction, in which the audit is kept too: what it throws leaves nothing behind. */
  run?(deps: ActionDeps, request: ActionRequest): Promise<ActionResult>;
  /** Instead of `run`: has transactions of its own, and keeps the audit in them. */
  runAlone?(deps: PageDeps, request: ActionRequest): Promise<ActionResult>;
}

/** `kept` goes with the confirming form, hidden: what is done is what was shown. */
interface Preview {
  sections: Section[];
  kept: Readonly<Record<string, string>>;
}

type ActionDeps = Omit<PageDeps, 'db'> & { db: Trx };

export interface ActionRequest {
  actor: Actor;
  params: Readonly<Record<string, string>>;
  /** What `input` made of the form. */
  input: Readonly<Record<string, unknown>>;
  /** Empty where the action needs none and none was given. */
  reason: string;
}

export interface ActionResult {
  /** `asked`: another process does it. `refused`: nothing was changed. */
  outcome: 'done' | 'asked' | 'refused';
  /** Shown on the next page, in a sentence. */
  message: string;
  /** What it was done to, as `event 12`. */
  target?: string;
  /** Kept in the audit beside it. */
  details?: Record<string, unknown>;
  /** Where to go on; left out: back to the page of the form, or where it is refused to the form as it was filled in (409). */
  to?: string;
  /** Of what is refused: there is nothing to do any more, so that no form comes back. */
  isOver?: true;
  /** What was called keeps the audit itself, in this transaction. */
  recorded?: true;
  /** What is asked of another process, once all the rest is committed. */
  afterwards?: (deps: Pick<PageDeps, 'db'>) => Promise<void>;
}

export const navigationGroups = ['', 'Records', 'Webhooks', 'Proof', 'Books', 'Operation'] as const;

interface PageList {
  /** The rows of the slice that is asked for. The file has them page by page, and nothing else of the page. */
  rows: (deps: PageDeps, req: PageRequest) => Promise<TableSection>;
  /** Those of the file, where it says more. */
  file?: PageList['rows'];
  /** Left out: days of the reader’s zone. `books`: days of the books, in `filters` alone. `none`: none, or the page’s own. */
  days?: ListDays;
}

/** One page of the console. It is at the same time its route, its place in the navigation and its access rule. */
export interface Page {
  /** As express reads it: `/orders/:reference`. */
  path: string;
  title: string;
  /** Left out: not in the navigation, as a page of one record. */
  group?: (typeof navigationGroups)[number];
  /** Who may see it besides admin; left out: everybody who is signed in. */
  roles?: readonly Role[];
  /** The query parameters it takes besides `cursor`; any other is refused. States of the service’s records are no `options` of theirs. */
  filters?: readonly Filter[];
  /** Renewed in the browser every few seconds, by server-sent events. */
  live?: true;
  /** Whether it stands in the navigation; left out: always. */
  inUse?(deps: Pick<PageDeps, 'fourEyes'>): boolean;
  /** How many things wait there, out of the state of the whole; null: not known. `words` say what they are. */
  waiting?: { count: (known: KnownState) => number | null; words: string };
  /** The list that it is for: narrowed to days as well (`from`, `to`), and taken along as a file of all that its filters leave. */
  list?: PageList;
  /** Null: there is no such thing, which is answered with 404. */
  load(deps: PageDeps, req: PageRequest): Promise<PageView | null>;
}

export interface PageRequest extends ListAddress {
  actor: Actor;
  params: Readonly<Record<string, string>>;
  /** Which part of the list: to be given to what reads it. */
  slice: PageQuery;
  /** The path and its query, for a form's way back. */
  url: string;
  /** Null where the actor may not do it. `params` fill the action's path, `fields` go with the form, hidden. */
  button(action: Action, params?: Record<string, string>, options?: ButtonOptions): ActionButton | null;
}

interface ButtonOptions {
  fields?: Record<string, string>;
  /** What the action's own fields hold at first. */
  values?: Readonly<Record<string, string>>;
  /** Instead of the action's own: on the button, and above the confirming one. */
  label?: string;
  explain?: string;
}
