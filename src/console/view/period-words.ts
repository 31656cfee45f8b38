import type { Missing } from '../../domain/views/books-shapes.js';
import { breakHref, inPath, periodHref } from './links.js';
import { badge, type Value } from './values.js';

/** What has to hold before a month is closed, and what is to be done where it does not. */
export const closeChecks: readonly { title: string; what: readonly Missing['what'][]; next: string }[] = [
  {
    title: 'The month is over, and those before it are closed',
    what: ['month_not_over', 'nothing_posted', 'earlier_month_open', 'already_closed'],
    next: 'Wait, or close the earlier month first. No reason makes up for this.',
  },
  {
    title: 'All that is known is posted',
    what: ['posting_behind', 'asset_not_opened'],
    next: 'Closing posts what is known; an asset is opened by the first reading of its balance.',
  },
  {
    title: 'No critical break is open',
    what: ['critical_break'],
    next: 'Look into each, fix it, resolve it or write it off.',
  },
  {
    title: 'All lists were read to the month’s end',
    what: ['kind_unproven'],
    next: 'Start a run of the kind, with Runs or reconcile.',
  },
  {
    title: 'Every balance is proven',
    what: ['balance_unproven'],
    next: 'Attribute what no list shows, such as a settlement.',
  },
  {
    title: 'The books end the month with what the service held',
    what: ['closing_differs'],
    next: 'It can’t be taken back. With a reason the month is closed without it; next time give the day when you attribute.',
  },
  {
    title: 'Every line has a value',
    what: ['unpriced_lines'],
    next: 'Give the rates of those days: tallyhook books rates import FILE.',
  },
];

/** Where what is missing is shown. */
export function missingHref({ what, of }: Missing): string | null {
  if (of === null) return null;
  if (what === 'critical_break') return breakHref(of);
  if (what === 'kind_unproven') return `/runs?kind=${inPath(of)}`;
  if (what === 'balance_unproven' || what === 'closing_differs' || what === 'asset_not_opened')
    return `/balances/${inPath(of)}`;
  if (what === 'unpriced_lines') return `/ledger/${inPath(of)}`;
  return what === 'earlier_month_open' ? periodHref(of) : null;
}

export function periodBadge(status: 'open' | 'closed'): Value {
  return badge(status, status === 'closed' ? 'good' : 'info');
}
