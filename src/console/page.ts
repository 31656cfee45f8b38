import type { Actor, Role } from '../domain/console-roles.js';
import type { Action } from './action.js';
import type { PageDeps } from './page-deps.js';
import type { ListAddress } from './view/pieces.js';
import type { ActionButton, PageView } from './view/sections.js';

export const navigationGroups = ['', 'Records', 'Webhooks', 'Proof', 'Books', 'Operation'] as const;

/** One page of the console. It is at the same time its route, its place in the navigation and its access rule. */
export interface Page {
  /** As express reads it: `/orders/:reference`. */
  path: string;
  title: string;
  /** Left out: not in the navigation, as a page of one record. */
  group?: (typeof navigationGroups)[number];
  /** Who may see it besides admin; left out: everybody who is signed in. */
  roles?: readonly Role[];
  /** Names of the query parameters it takes besides `cursor`; any other is refused. */
  filters?: readonly string[];
  /** Renewed in the browser every few seconds, by server-sent events. */
  live?: true;
  /** Null: there is no such thing, which is answered with 404. */
  load(deps: PageDeps, req: PageRequest): Promise<PageView | null>;
}

/** A request as a page sees it. */
export interface PageRequest extends ListAddress {
  actor: Actor;
  params: Readonly<Record<string, string>>;
  /** The path and its query, for a form's way back. */
  url: string;
  /** Null where the actor may not do it. `params` fill the action's path, `fields` go with the form, hidden. */
  button(action: Action, params?: Record<string, string>, options?: ButtonOptions): ActionButton | null;
}

interface ButtonOptions {
  fields?: Record<string, string>;
  /** Instead of the action's own: on the button, and above the confirming one. */
  label?: string;
  explain?: string;
}
