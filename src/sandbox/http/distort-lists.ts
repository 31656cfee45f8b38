import type { Request, RequestHandler } from 'express';
import { withoutZone } from '../base/iso-time.js';
import { jsonItems, jsonMember } from '../base/json-member.js';
import { createDraw, hashText } from '../base/random.js';
import type { Faults, NamedList } from '../faults.js';
import type { Service } from '../service.js';

/** What a list answers: an array, or `{items, nextCursor}`. The items are JSON texts. */
interface Page {
  items: string[];
  /** undefined: an array. */
  nextCursor: string | null | undefined;
}

/** A request for a page of a list. */
interface Ask {
  /** The same for all pages of one reading. */
  reading: string;
  continues: boolean;
  take: number;
}

/** The faults that change what lists and times look like, whatever is in them. Digits and order stay as they are. */
export function distortLists(service: Service): RequestHandler {
  const distort = createDistortion(service);
  return (request, response, next) => {
    if (request.path.startsWith('/sandbox/')) {
      next();
      return;
    }
    const send = response.send.bind(response);
    const list = listOf(service.faults, request);
    const ask = list ? askOf(service.faults, list, request) : null;
    response.send = (body: unknown) => {
      if (typeof body !== 'string') return send(body);
      const isList = ask !== null && list !== null && response.statusCode === 200;
      const text = isList ? renamed(distort(ask, body), list, service.faults) : body;
      return send(service.faults.timesWithoutZone ? withoutZone(text) : text);
    };
    next();
  };
}

const LISTS: readonly [RegExp, NamedList][] = [
  [/^\/v1\/payment-intents$/, 'paymentIntents'],
  [/^\/v1\/invoices$/, 'invoices'],
  [/^\/v1\/accounts$/, 'accounts'],
  [/^\/v1\/accounts\/transactions$/, 'transactions'],
  [/^\/v1\/accounts\/[^/]+\/transactions$/, 'accountTransactions'],
  [/^\/v1\/webhook-endpoints\/deliveries$/, 'deliveries'],
];

function listOf({ payoutsPath }: Faults, request: Request): NamedList | null {
  if (request.method !== 'GET') return null;
  if (request.path === payoutsPath) return 'payouts';
  return LISTS.find(([path]) => path.test(request.path))?.[1] ?? null;
}

/** Where an endless list of `{items, nextCursor}` begins again. */
const AGAIN = 'again';

function askOf({ names }: Faults, list: NamedList, request: Request): Ask {
  const nameOf = (name: string): string => names[list]?.[name] ?? name;
  const url = new URL(request.url, 'http://sandbox');
  const parameters = url.searchParams;
  const page = parameters.get(nameOf('page'));
  const cursor = parameters.get(nameOf('cursor'));
  const take = Number(parameters.get(nameOf('take'))) || (list === 'deliveries' ? 50 : 20);
  parameters.delete(nameOf('cursor'));
  if (cursor === AGAIN) request.url = url.pathname + url.search;
  parameters.delete(nameOf('page'));
  const continues = (cursor ?? '') !== '' || (page !== null && page !== '1');
  return { reading: `${request.headers.authorization} ${url.pathname}${url.search}`, continues, take };
}

const MOST_READINGS = 1000;

function createDistortion(service: Service): (ask: Ask, text: string) => string {
  const heads = new Map<string, string[]>();
  const last = new Map<string, Page>();
  const forgets = createDraw(service.settings.seed, 'forget');

  const distort = (ask: Ask, page: Page): Page => {
    const { repeatPage, endlessList, forgetRecords, itemWithoutId } = service.faults;
    let { items, nextCursor } = page;
    if (forgetRecords > 0) items = items.filter((item) => forgets(hashText(0, idOf(item))) >= forgetRecords);
    if (endlessList) {
      if (!ask.continues) heads.set(ask.reading, items);
      items = filledUp(items, heads.get(ask.reading) ?? items, ask.take);
      nextCursor = nextCursor === null ? AGAIN : nextCursor;
    }
    if (repeatPage) {
      ({ items, nextCursor } = (ask.continues ? last.get(ask.reading) : null) ?? { items, nextCursor });
      last.set(ask.reading, { items, nextCursor });
    }
    if (itemWithoutId) items = items.map((item, n) => (n === 0 ? item.replace(ID, '{') : item));
    return { items, nextCursor };
  };

  return (ask, text) => {
    const { repeatPage, endlessList, forgetRecords, itemWithoutId } = service.faults;
    if (heads.size > MOST_READINGS || !endlessList) heads.clear();
    if (last.size > MOST_READINGS || !repeatPage) last.clear();
    const isStruck = repeatPage || endlessList || itemWithoutId || forgetRecords > 0;
    return isStruck ? pageText(distort(ask, readPage(text))) : text;
  };
}

/** Records begin with their id. */
const ID = /^\{"id":"([^"]*)",/;

const idOf = (item: string): string => ID.exec(item)?.[1] ?? '';

/** Arrays end by a short page: there is none while rows of the head fill it. */
function filledUp(items: readonly string[], head: readonly string[], take: number): string[] {
  const filled = [...items];
  for (let n = 0; filled.length < take && head.length > 0; n += 1) filled.push(head[n % head.length] ?? '');
  return filled;
}

function readPage(text: string): Page {
  if (text.startsWith('[')) return { items: jsonItems(text), nextCursor: undefined };
  const nextCursor: unknown = JSON.parse(jsonMember(text, 'nextCursor') ?? 'null');
  return { items: jsonItems(jsonMember(text, 'items') ?? '[]'), nextCursor: textOrNull(nextCursor) };
}

/** In the names that the faults ask for. */
function renamed(text: string, list: NamedList, { fields, pageNames }: Faults): string {
  const names = fields[list] ?? {};
  if (Object.keys(names).length + Object.keys(pageNames).length === 0) return text;
  const rename = (value: object, to: Readonly<Record<string, string>>): object =>
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [to[name] ?? name, inner]));
  const body = JSON.parse(text) as object[] | { items: object[] };
  if (Array.isArray(body)) return JSON.stringify(body.map((item) => rename(item, names)));
  const page = { ...body, items: body.items.map((item) => rename(item, names)) };
  // Specification 4.22 shows what the page of deliveries calls them.
  return JSON.stringify(list === 'deliveries' ? page : rename(page, pageNames));
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function pageText({ items, nextCursor }: Page): string {
  const rows = `[${items.join(',')}]`;
  return nextCursor === undefined ? rows : `{"items":${rows},"nextCursor":${JSON.stringify(nextCursor)}}`;
}
