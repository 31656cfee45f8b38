import type { Contract } from '../../service-api/contract.js';
import { type Check, finding, ok, unknown } from './check.js';
import { foundAt, type Probing, placeIn, withPart } from './contract-part.js';
import { otherNames } from './other-names.js';
import { type Ask, type Asked, NOTHING_YET } from './questions.js';

/** Lists of which it is not shown whether they are arrays, or pages of which names. */
const LISTS = ['listAccounts', 'listTransactions', 'listPayouts'] as const;

const ITEMS = ['data', 'results', 'records', 'rows', 'list', 'content', 'entries', 'data/items', 'result/items'];
const CURSORS = [
  'next_cursor',
  'next',
  'cursor',
  'nextPage',
  'nextPageToken',
  'next_page_token',
  'after',
  'endCursor',
  'pagination/nextCursor',
  'pagination/next',
  'meta/nextCursor',
  'meta/next_cursor',
  'paging/next',
  'data/nextCursor',
];
const COUNTS = ['X-Total', 'X-Count', 'Total-Count', 'X-Total-Items', 'X-Total-Results', 'X-Pagination-Total-Count'];

/** Where a page has its rows. A list that is an array has no name for them. */
export async function probeItems(probing: Probing): Promise<Check> {
  const { ask, contract } = probing;
  const { name, at, usual } = placeIn(contract, 'pages', 'items');
  const asked: { list: (typeof LISTS)[number]; answer: Asked }[] = [];
  for (const list of LISTS) asked.push({ list, answer: await ask(contract, list) });
  const odd = asked.find(({ answer }) => answer.kind === 'failed' && answer.noList === true);
  if (odd === undefined) {
    const answers = asked.flatMap(({ answer }) => (answer.kind === 'answer' ? [answer] : []));
    if (answers.length === 0) return unknown(name, 'no list could be read');
    const isPage = answers.some(({ data }) => !Array.isArray(data));
    return ok(name, isPage ? `the rows stand at ${usual}` : 'every list is an array');
  }
  for (const other of pointers(ITEMS, usual)) {
    const answer = await ask(withPart(contract, at, other), odd.list);
    if (isUnanswered(answer)) return unknown(name, `${odd.list} can’t be asked any more`);
    if (answer.kind === 'answer') return foundAt(probing, at, other, `a page has no rows at ${usual}, but at ${other}`);
  }
  const found = `${odd.list} answers neither an array nor rows at ${usual} or at any other place that was tried`;
  return finding(name, found, 'ask the service where, and set pages.items in CONTRACT_FILE');
}

/** Where a page has the cursor of the next one. Needs page sizes that work. */
export async function probeNextCursor(probing: Probing): Promise<Check> {
  const { ask, contract } = probing;
  const { name, at, usual } = placeIn(contract, 'pages', 'nextCursor');
  const one = { query: { take: 1 } };
  let seen: 'nothing' | 'arrays' | 'pages' = 'nothing';
  for (const list of LISTS) {
    const page = await ask(contract, list, one);
    if (page.kind !== 'answer') continue;
    if (Array.isArray(page.data)) {
      if (seen === 'nothing') seen = 'arrays';
      continue;
    }
    seen = 'pages';
    if (page.nextCursor !== null) return ok(name, `stands at ${usual}`);
    for (const other of pointers(CURSORS, usual)) {
      const again = await ask(withPart(contract, at, other), list, one);
      if (isUnanswered(again)) break;
      if (again.kind === 'answer' && again.nextCursor !== null)
        return foundAt(probing, at, other, `a page has nothing at ${usual}, but a text at ${other}`);
    }
  }
  if (seen === 'arrays') return ok(name, 'every list is an array');
  const why = seen === 'nothing' ? 'no list could be read' : `${NOTHING_YET}, no page has another one after it`;
  return unknown(name, why);
}

/** Silently: the test of the page number needs it, and the number may have another name itself. */
export async function findCountHeader(probing: Probing): Promise<void> {
  const { ask, contract } = probing;
  const at = ['headers', 'totalCount'] as const;
  const usual = await firstPage(contract, ask);
  if (isCounted(usual) || isUnanswered(usual)) return;
  const numbers = otherNames('page', new Set()).filter((name) => !name.includes('['));
  for (const number of numbers) {
    const numbered = withPart(contract, ['query', 'listTransactions', 'page'], number);
    const isUsual = number === contract.query.listTransactions.page;
    for (const other of isUsual ? COUNTS : [contract.headers.totalCount, ...COUNTS]) {
      const page = await firstPage(withPart(numbered, at, other), ask);
      if (isUnanswered(page)) return;
      if (!isCounted(page)) continue;
      probing.contract = withPart(contract, at, other);
      return;
    }
  }
}

/** `usual`: before anything was found. */
export async function probeCountHeader({ ask, contract }: Probing, usual: Contract): Promise<Check> {
  const name = 'contract headers.totalCount';
  const page = await firstPage(contract, ask);
  if (page.kind !== 'answer') return unknown(name, page.problem);
  const [was, is] = [usual.headers.totalCount, contract.headers.totalCount];
  if (!isCounted(page))
    return unknown(name, `the first page of the transactions carries no ${was}, nor another header that was tried`);
  if (was === is) return ok(name, `the first page of the transactions carries ${is}`);
  const remedy = `set headers.totalCount to "${is}" in CONTRACT_FILE`;
  return finding(name, `the transactions are not counted in ${was}, but in ${is}`, remedy);
}

function firstPage(contract: Contract, ask: Ask): Promise<Asked> {
  return ask(contract, 'listTransactions', { query: { page: 1 } });
}

const isCounted = (asked: Asked): boolean => asked.kind === 'answer' && asked.totalCount !== null;

/** For a reason that more questions would meet again. */
function isUnanswered(asked: Asked): boolean {
  return asked.kind === 'missing' || (asked.kind === 'failed' && asked.noList !== true);
}

function pointers(names: readonly string[], usual: string): string[] {
  return names.map((name) => `/${name}`).filter((other) => other !== usual);
}
