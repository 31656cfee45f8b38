import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { momentIn, wordsIn } from '../../domain/time-zones.js';
import type { Status } from '../status.js';
import type { PageView, Section } from '../view/sections.js';
import { ageOf } from '../view/values.js';
import type { Flash } from './flash.js';
import type { Navigation, NavLink } from './navigation.js';

export type Theme = 'system' | 'light' | 'dark';

/** What stands around every page. */
export interface Shell {
  title: string;
  path: string;
  theme: Theme;
  zone: string;
  flash: Flash | null;
  environment: { name: string; isTest: boolean };
  /** Null: nobody is signed in, and only the page itself is shown. */
  frame: Frame | null;
}

export interface Frame {
  actor: { name: string; role: string };
  navigation: Navigation;
  status: Status;
  csrf: string;
  url: string;
  /** Where the page's news come from; null: it has none. */
  live: string | null;
  /** It has a list, to be skipped to. */
  hasList: boolean;
}

const folder = (name: string): string => fileURLToPath(new URL(`../${name}/`, import.meta.url));
export const assetsFolder = folder('assets');

/** In the order in which they hold. */
const stylesheets = [
  'tokens',
  'ground',
  'frame',
  'pieces',
  'controls',
  'tables',
  'drawings',
  'timeline',
  'narrow',
  'phone',
  'cards',
];

const eta = new Eta({ views: folder('views'), autoEscape: true, cache: true });
const version = versionOf(assetsFolder);

/** What is drawn anew for each request: the token of its forms, and what time it is. */
export interface Drawn {
  csrf: string;
  now: Date;
  /** In which times are shown. */
  zone: string;
}

/** Templates inherit what those that include them were given. */
const given = ({ csrf, now, zone }: Drawn) => ({
  csrf,
  ageOf: (at: string) => ageOf(at, now),
  momentOf: (at: string) => momentIn(zone, Date.parse(at)),
});

/** A whole page as HTML, times in the zone within sentences too. Text of all kinds is escaped; `crumbs`, `sections` and so on as in `PageView`. */
export function renderPage(shell: Shell, view: PageView, drawn: Drawn): string {
  const body = eta.render('/page', { view, title: shell.title, ...given(drawn) });
  return wordsIn(drawn.zone, eta.render('/layout', { ...shell, version, stylesheets, body }));
}

export function renderSignIn(shell: Shell, form: { next: string; problem: string | null }): string {
  return eta.render('/layout', { ...shell, version, stylesheets, body: eta.render('/sign-in', form) });
}

/** One section alone, as it is sent to a page that is open already. */
export function renderSection(section: Section, drawn: Drawn): string {
  return wordsIn(drawn.zone, eta.render('/components/section', { section, ...given(drawn) }));
}

export function renderStatus(status: Status, zone: string): string {
  return wordsIn(zone, eta.render('/components/status', status));
}

export function renderWaiting(waiting: NonNullable<NavLink['waiting']>): string {
  return eta.render('/components/waiting', waiting);
}

/** Changes with any of the files, so that a browser may keep them for ever. */
function versionOf(directory: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(directory).sort()) hash.update(readFileSync(`${directory}${name}`));
  return hash.digest('hex').slice(0, 12);
}
