import { type Actor, mayDo } from '../../domain/console-roles.js';
import type { KnownState } from '../../records/alerts/load-state.js';
import { navigationGroups, type Page } from '../page.js';

export interface NavLink {
  text: string;
  href: string;
  current: boolean;
  /** How many things wait there; `n` null: none, or it is not known. Left out: they are not counted. */
  waiting?: { n: number | null; words: string };
}

export type Navigation = { group: string; links: NavLink[] }[];

/** The pages that this person may see. The counts are those of the state: what is not known is never zero. */
export function navigationOf(
  pages: readonly Page[],
  { actor, path, known }: { actor: Actor; path: string; known: KnownState | null },
): Navigation {
  const visible = pages.filter(({ group, roles }) => group !== undefined && (!roles || mayDo(actor, roles)));
  const navigation = navigationGroups.map((group) => ({
    group,
    links: visible.filter((page) => page.group === group).map((page) => linkOf(page, path, known)),
  }));
  return navigation.filter(({ links }) => links.length > 0);
}

function linkOf({ path, title, waiting }: Page, now: string, known: KnownState | null): NavLink {
  const link = { text: title, href: path, current: isCurrent(path, now) };
  if (waiting === undefined) return link;
  const n = known === null ? null : waiting.count(known);
  return { ...link, waiting: { n: n === 0 ? null : n, words: waiting.words } };
}

function isCurrent(path: string, now: string): boolean {
  return path === '/' ? now === '/' : now === path || now.startsWith(`${path}/`);
}
