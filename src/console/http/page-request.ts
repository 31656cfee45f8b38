import type { Request } from 'express';
import { dayAfter, isDay, startOfDay } from '../../domain/books/posting-month.js';
import { type Actor, mayDo } from '../../domain/console-roles.js';
import type { PageQuery } from '../../records/database/paging.js';
import type { Page, PageRequest } from '../page.js';
import { badFilter, badRequest, oneOf } from '../problem.js';
import { inPath } from '../view/links.js';
import type { Field } from '../view/sections.js';
import { zoneOf } from './cookies.js';

/** Reads what a page is asked for, `without` some of its filters; a parameter that it does not know is refused, never ignored. */
export function pageRequest(req: Request, page: Page, actor: Actor, without: readonly string[] = []): PageRequest {
  const { filters: fields = [] } = page;
  const known = [...fields.map(({ name }) => name), ...(hasDays(page) ? ['from', 'to'] : [])];
  const filters: Record<string, string> = {};
  let cursor: string | undefined;
  for (const [name, value] of Object.entries(req.query)) {
    if (typeof value !== 'string') throw badRequest(`${name} is given more than once.`);
    if (name === 'cursor') cursor = value;
    else if (!known.includes(name)) throw badRequest(`This page has no filter "${name.slice(0, 80)}".`);
    else if (value.trim() !== '' && !without.includes(name)) filters[name] = value.trim();
  }
  for (const { name, options } of fields)
    if (options !== undefined)
      oneOf(
        name,
        options.map(({ value }) => value),
        filters[name],
      );
  const zone = zoneOf(req);
  let buttons = 0;
  return {
    actor,
    params: req.params as Record<string, string>,
    filters,
    ...(cursor === undefined || cursor === '' ? {} : { cursor }),
    slice: sliceOf(page, zone, cursor, filters),
    zone,
    list: page.list,
    fields,
    path: ofPage(req.path),
    url: ofPage(req.originalUrl),
    button: (
      action,
      params = {},
      { fields = {}, values = {}, label = action.label, explain = action.explain } = {},
    ) => {
      if (!mayDo(actor, action.roles)) return null;
      buttons += 1;
      const hidden = Object.entries({ ...fields, _back: ofPage(req.originalUrl) });
      return {
        href: fillPath(action.path, params),
        label,
        explain,
        needsReason: action.needsReason ?? true,
        tone: action.tone ?? null,
        fields: (action.fields ?? []).map((field) => ({ ...field, ...valueOf(values[field.name]) })),
        hidden: hidden.map(([name, value]) => ({ name, value })),
        key: `action-${buttons}`,
      };
    },
  };
}

/** What was sent, by name. */
export type Form = Readonly<Record<string, unknown>>;

export function textIn(form: Form, name: string): string {
  const given = form[name];
  return typeof given === 'string' ? given : '';
}

/** A field with what was given, also where that is none of its choices, and what is wrong with it. */
export function filledField({ options, ...field }: Field, form: Form, error: string | undefined): Field {
  const value = textIn(form, field.name);
  const isOffered = options === undefined || value === '' || options.some((one) => one.value === value);
  const all = isOffered ? options : [...options, { value, text: value }];
  return { ...field, ...(all === undefined ? {} : { options: all }), value, error };
}

const valueOf = (value: string | undefined) => (value === undefined ? {} : { value });

/** What is renewed of a page leads where the page does. */
const ofPage = (url: string): string => url.replace(/^\/live(?=\/)/, '');

const hasDays = ({ list }: Page): boolean => list !== undefined && list.days !== 'none';

function sliceOf(
  page: Page,
  zone: string,
  cursor: string | undefined,
  { from, to }: Readonly<Record<string, string>>,
): PageQuery {
  // What renews itself needs no mark.
  const isMarked = page.list !== undefined && page.live !== true;
  const slice = cursor === undefined || cursor === '' ? { marks: isMarked } : { cursor };
  if (!hasDays(page)) return slice;
  const [first, last] = [dayOf('from', from), dayOf('to', to)];
  if (first !== undefined && last !== undefined && last < first)
    throw badFilter('to', `is ${last}, before the first day, ${first}`);
  if (page.list?.days === 'books') return slice;
  const begin = (day: string | undefined) => (day === undefined ? undefined : new Date(startOfDay(zone, day)));
  return { ...slice, from: begin(first), to: begin(last === undefined ? undefined : dayAfter(last)) };
}

/** @throws {Problem} 400 */
function dayOf(name: string, given: string | undefined): string | undefined {
  if (given === undefined || isDay(given)) return given;
  throw badFilter(name, `is "${given.slice(0, 40)}"; it takes a day such as 2026-10-31`);
}

/** `/events/:id` with its parameters, each encoded. */
export function fillPath(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/:(\w+)/g, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs ${name}`);
    return inPath(value);
  });
}

/** An address of this console, or `/`: what stands in a form or an address may have been put there by anybody. */
export function ownPath(given: unknown): string {
  const isOwn = typeof given === 'string' && /^\/(?![/\\])[^\s\\]*$/.test(given) && given.length <= 2_000;
  return isOwn ? given : '/';
}
