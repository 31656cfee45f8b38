import { counted } from '../../domain/in-words.js';
import type { Missing } from '../../domain/views/books-shapes.js';
import { breakHref, inPath, periodHref, withQuery } from '../view/links.js';
import { notice, type Section, table } from '../view/sections.js';
import { badge, link, list, quiet, text, type Value } from '../view/values.js';

/** What has to hold before a month is closed, and what is to be done where it does not. */
interface CloseCheck {
  title: string;
  what: readonly Missing['what'][];
  next: string;
  /** While one of these is missing nobody knows whether it holds. */
  needs?: readonly Missing['what'][];
}

const closeChecks: readonly CloseCheck[] = [
  {
    title: 'Nothing sealed or closed was changed',
    what: ['seals_broken', 'books_changed'],
    next: 'Find out who changed it. The month that was changed can be reopened, and closed again.',
  },
  {
    title: 'The month is over, and those before it are closed',
    what: ['month_not_over', 'nothing_posted', 'earlier_month_open', 'already_closed'],
    next: 'Wait, or close the earlier month first. No reason makes up for this.',
  },
  {
    title: 'All that is known is posted',
    what: ['posting_behind', 'asset_not_opened'],
    next: 'Closing posts what is known; an asset is opened by the first poll of its balance.',
  },
  {
    title: 'No critical break is open or acknowledged, but for those of balances',
    what: ['critical_break'],
    next: 'Look into each, fix it, resolve it or write it off.',
  },
  {
    title: 'All lists were read to the month’s end',
    what: ['kind_unproven'],
    next: 'Start a run of the kind, with Runs or reconcile.',
  },
  {
    title: 'Every balance is proven, and the books end the month with what the service held',
    what: ['balance_unproven', 'closing_differs'],
    needs: ['posting_behind', 'asset_not_opened', 'kind_unproven'],
    next: 'Attribute what no list shows, such as a settlement, with its day. What is booked in a later month stays there: with a reason the month is closed without it.',
  },
  {
    title: 'The books are what the records and the proofs of balances come to',
    what: ['books_differ'],
    next: 'An entry was made past the program: Audit and Ledger show it.',
  },
  {
    title: 'Every line has a value',
    what: ['unpriced_lines'],
    next: 'Give the rates of those days: they are below, with the command.',
  },
  {
    title: 'The money of its settlements arrived',
    what: ['settlement_open'],
    next: 'Look at the bank’s statement, and mark what arrived on the page Settlements.',
  },
  {
    title: 'The rates that were given are near what else is known',
    what: ['rate_far'],
    next: 'Give the right ones: tallyhook books rates import FILE. Where they are right, say so in the reason.',
  },
  {
    title: 'Payments are booked for about what was asked in money',
    what: ['value_differs'],
    next: 'The rate of the day is wrong, or the request was. Look at the payment and at the entry’s rate.',
  },
];

/** Of an open month: what has to hold before it is closed, what is missing first, each with what is to be done. */
export function checklist(missing: Missing[]): Section[] {
  const never = missing.some(({ byReason }) => !byReason);
  return [
    verdict(missing.length, never),
    table(
      closeChecks
        .map(({ what, needs = [], ...check }) => ({
          ...check,
          own: missing.filter((one) => what.includes(one.what)),
          isKnown: !missing.some((one) => needs.includes(one.what)),
        }))
        // What is missing stands first.
        .toSorted((a, b) => Number(a.own.length === 0) - Number(b.own.length === 0)),
      {
        caption: 'Before it is closed',
        onPhone: 'brief',
        calm: { label: 'that hold', is: ({ own, isKnown }) => own.length === 0 && isKnown },
        columns: [
          ['Check', ({ title, next, own }) => (own.length === 0 ? text(title) : list([text(title), quiet(next)]))],
          ['State', ({ own, isKnown }) => checkBadge(own, isKnown)],
          ['What is missing', ({ own, isKnown }) => missingList(own, isKnown)],
        ],
      },
    ),
  ];
}

function verdict(missing: number, never: boolean): Section {
  if (missing === 0) {
    const text = 'All that the books are made of was read and proven to the month’s end.';
    return notice('good', 'Nothing is missing: it may be closed', text);
  }
  const title = `${counted(missing, 'thing')} ${missing === 1 ? 'is' : 'are'} missing`;
  const text = never
    ? 'It can’t be closed yet, whatever the reason.'
    : 'Finance may close it nevertheless, with a reason that is kept.';
  return notice('warn', title, text);
}

function checkBadge(own: readonly Missing[], isKnown: boolean): Value {
  if (own.length === 0) return isKnown ? badge('holds', 'good') : badge('not known', 'warn');
  return badge('missing', own.some(({ byReason }) => !byReason) ? 'bad' : 'warn');
}

/** So many of one check are shown. */
const SHOWN = 10;

function missingList(own: readonly Missing[], isKnown: boolean): Value {
  const reasons = own.slice(0, SHOWN).map((one) => {
    const href = missingHref(one);
    return href === null ? text(one.told) : link(one.told, href);
  });
  const more = own.length > SHOWN ? [text(`… and ${own.length - SHOWN} more`)] : [];
  return list([...reasons, ...more], isKnown ? '–' : 'known once what is missing above is posted and read');
}

/** Where what is missing is shown. */
function missingHref({ what, of }: Missing): string | null {
  if (of === null) return null;
  if (what === 'critical_break' || what === 'settlement_open') return breakHref(of);
  if (what === 'kind_unproven') return `/runs?kind=${inPath(of)}`;
  if (what === 'balance_unproven' || what === 'closing_differs' || what === 'asset_not_opened')
    return `/balances/${inPath(of)}`;
  if (what === 'rate_far') return withQuery('/ledger', { assetCode: of });
  if (what === 'value_differs') return withQuery('/match', { id: of });
  if (what === 'unpriced_lines') return `/ledger/${inPath(of)}`;
  if (what === 'books_changed') return periodHref(of);
  return what === 'earlier_month_open' ? periodHref(of) : null;
}
