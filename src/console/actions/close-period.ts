import { isMonth } from '../../domain/books/posting-month.js';
import { counted } from '../../domain/in-words.js';
import { wouldDecide } from '../../finance/decisions/decisions.js';
import { closePeriod } from '../../finance/periods/close-period.js';
import { reopenPeriod } from '../../finance/periods/reopen-period.js';
import { closingDeps } from '../four-eyes.js';
import type { Action, ActionRequest, ActionResult, PageDeps } from '../page.js';
import { periodHref } from '../view/links.js';
import { lineByLine } from '../view/sections.js';

const NO_MONTH: ActionResult = { outcome: 'refused', message: 'Months can be read here, not closed.' };

const closingOf = ({ params, reason }: ActionRequest) =>
  ({ action: 'close period', input: { month: params['month'] }, reason }) as const;
const reopeningOf = ({ params, reason }: ActionRequest) =>
  ({ action: 'reopen period', input: { month: params['month'] }, reason }) as const;

/** What another person would be shown, where two decide. */
async function wouldBe(deps: PageDeps, request: Parameters<typeof wouldDecide>[1]) {
  const would = await wouldDecide(await closingDeps(deps), request);
  if ('why' in would) return { refused: `${would.why}.` };
  return [lineByLine('What it would come to', would.preview)];
}

const closing = {
  name: 'close period',
  roles: ['finance'],
  preview: (deps, request) => wouldBe(deps, closingOf(request)),
  asks: (_deps, request) => (request.reason === '' ? null : closingOf(request)),
  runAlone: close,
} as const satisfies Partial<Action>;

export const closePeriodAction: Action = {
  ...closing,
  path: '/periods/:month/close',
  label: 'Close the month',
  explain:
    'What is known is posted, the files are kept with their hashes, and the month takes no entry any more. What changes later stands in the next month. With much in the month it takes some minutes.',
  needsReason: false,
};

export const closeNeverthelessAction: Action = {
  ...closing,
  path: '/periods/:month/close-nevertheless',
  label: 'Close nevertheless',
  explain:
    'Something is missing, and the month is closed with it: what is known is posted, the files are kept with their hashes. What was missing is kept beside your reason.',
  tone: 'bad',
};

export const reopenPeriodAction: Action = {
  path: '/periods/:month/reopen',
  name: 'reopen period',
  roles: ['finance'],
  label: 'Reopen',
  explain: 'The month takes entries again. What was stored of it is kept; closing it again makes files anew.',
  tone: 'bad',
  preview: (deps, request) => wouldBe(deps, reopeningOf(request)),
  asks: (_deps, request) => reopeningOf(request),
  runAlone: async ({ db }, { actor, params, reason }) => {
    const month = params['month'] ?? '';
    const result = await reopenPeriod(db, { month, actor: actor.name, reason });
    if (result.outcome === 'refused') return { outcome: 'refused', message: `${month} stays as it is: ${result.why}.` };
    return { outcome: 'done', message: `${month} is open again.`, to: periodHref(month) };
  },
};

async function close(deps: PageDeps, { actor, params, reason }: ActionRequest): Promise<ActionResult> {
  const month = params['month'] ?? '';
  if (!isMonth(month)) return NO_MONTH;
  const asked = { month, actor: actor.name, reason: reason === '' ? null : reason };
  const result = await closePeriod(await closingDeps(deps), asked);
  const to = periodHref(month);
  if (result.outcome === 'closed') {
    const head =
      result.head === null ? '' : ` Keep the head of the seals outside: ${result.head.number}:${result.head.hash}.`;
    return {
      outcome: 'done',
      message: `${month} is closed; ${counted(result.files.length, 'file')} are kept.${head}`,
      to,
    };
  }
  const missing = counted(result.missing.length, 'thing');
  return { outcome: 'refused', message: `${month} stays open: ${missing} are missing, named below.`, to };
}
