import type { Contract } from '../../service-api/contract.js';
import type { Asked } from './ask-service.js';
import { type Check, finding, ok, unknown } from './check.js';
import { withPart } from './contract-part.js';
import { otherNames } from './other-names.js';
import type { Probed } from './probe-parameters.js';
import type { Ask } from './questions.js';

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
const NOTHING_YET = 'not probed: nothing to probe yet';
const COUNTS = ['X-Total', 'X-Count', 'Total-Count', 'X-Total-Items', 'X-Total-Results', 'X-Pagination-Total-Count'];

/** Where a page has its rows. A list that is an array has no name for them. */
export async function probeItems(contract: Contract, ask: Ask): Promise<Probed> {
  const name = 'contract pages.items';
  const usual = contract.pages.items;
  const asked: { list: (typeof LISTS)[number]; answer: Asked }[] = [];
  for (const list of LISTS) asked.push({ list, answer: await ask(contract, list) });
  const odd = asked.find(({ answer }) => answer.kind === 'failed' && answer.noList === true);
  if (odd === undefined) {
    const answers = asked.flatMap(({ answer }) => (answer.kind === 'answer' ? [answer] : []));
    if (answers.length === 0) return { checks: [unknown(name, 'no list could be read')], contract };
    const isPage = answers.some(({ data }) => !Array.isArray(data));
    return { checks: [ok(name, isPage ? `the rows stand at ${usual}` : 'every list is an array')], contract };
  }
  for (const other of pointers(ITEMS, usual)) {
    const under = withPart(contract, ['pages', 'items'], other);
    const answer = await ask(under, odd.list);
    if (isUnanswered(answer)) return { checks: [unknown(name, `${odd.list} can’t be asked any more`)], contract };
    if (answer.kind !== 'answer') continue;
    const found = `a page has no rows at ${usual}, but at ${other}`;
    return { checks: [finding(name, found, `set pages.items to "${other}" in CONTRACT_FILE`)], contract: under };
  }
  const found = `${odd.list} answers neither an array nor rows at ${usual} or at any other place that was tried`;
  return { checks: [finding(name, found, 'ask the service where, and set pages.items in CONTRACT_FILE')], contract };
}

/** Where a page has the cursor of the next one. Needs page sizes that work. */
export async function probeNextCursor(contract: Contract, ask: Ask): Promise<Probed> {
  const name = 'contract pages.nextCursor';
  const usual = contract.pages.nextCursor;
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
    if (page.nextCursor !== null) return { checks: [ok(name, `stands at ${usual}`)], contract };
    for (const other of pointers(CURSORS, usual)) {
      const under = withPart(contract, ['pages', 'nextCursor'], other);
      const again = await ask(under, list, one);
      if (isUnanswered(again)) break;
      if (again.kind !== 'answer' || again.nextCursor === null) continue;
      const found = `a page has nothing at ${usual}, but a text at ${other}`;
      const remedy = `set pages.nextCursor to "${other}" in CONTRACT_FILE`;
      return { checks: [finding(name, found, remedy)], contract: under };
    }
  }
  if (seen === 'arrays') return { checks: [ok(name, 'every list is an array')], contract };
  const why = seen === 'nothing' ? 'no list could be read' : `${NOTHING_YET}, no page has another one after it`;
  return { checks: [unknown(name, why)], contract };
}

/**
 * Silently: the test of the page number needs it, and the number may have another name itself. Null: the usual one, or none
 * that was thought of.
 */
export async function findCountHeader(contract: Contract, ask: Ask): Promise<Contract | null> {
  const usual = await firstPage(contract, ask);
  if (isCounted(usual) || isUnanswered(usual)) return null;
  const numbers = otherNames('page', new Set()).filter((name) => !name.includes('['));
  for (const number of numbers) {
    const numbered = withPart(contract, ['query', 'listTransactions', 'page'], number);
    const isUsual = number === contract.query.listTransactions.page;
    for (const other of isUsual ? COUNTS : [contract.headers.totalCount, ...COUNTS]) {
      const page = await firstPage(withPart(numbered, ['headers', 'totalCount'], other), ask);
      if (isUnanswered(page)) return null;
      if (!isCounted(page)) continue;
      return other === contract.headers.totalCount ? null : withPart(contract, ['headers', 'totalCount'], other);
    }
  }
  return null;
}

/** `usual`: before anything was found; `working`: with all that was. */
export async function probeCountHeader(usual: Contract, working: Contract, ask: Ask): Promise<Probed> {
  const name = 'contract headers.totalCount';
  const page = await firstPage(working, ask);
  if (page.kind !== 'answer') return { checks: [unknown(name, page.problem)], contract: working };
  const [was, is] = [usual.headers.totalCount, working.headers.totalCount];
  return { checks: [judge(name, was, is, isCounted(page))], contract: working };
}

function judge(name: string, was: string, is: string, works: boolean): Check {
  if (!works) {
    return unknown(name, `the first page of the transactions carries no ${was}, nor another header that was tried`);
  }
  if (was === is) return ok(name, `the first page of the transactions carries ${is}`);
  const remedy = `set headers.totalCount to "${is}" in CONTRACT_FILE`;
  return finding(name, `the transactions are not counted in ${was}, but in ${is}`, remedy);
}

function firstPage(contract: Contract, ask: Ask): Promise<Asked> {
  return ask(contract, 'listTransactions', { query: { page: 1 } });
}

function isCounted(asked: Asked): boolean {
  return asked.kind === 'answer' && asked.totalCount !== null;
}

/** For a reason that more questions would meet again. */
function isUnanswered(asked: Asked): boolean {
  return asked.kind === 'missing' || (asked.kind === 'failed' && asked.noList !== true);
}

function pointers(names: readonly string[], usual: string): string[] {
  return names.map((name) => `/${name}`).filter((other) => other !== usual);
}
