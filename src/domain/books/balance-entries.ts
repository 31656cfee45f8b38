import { addAmounts, negated } from '../money.js';
import { type Account, accounts, subWalletAccount } from './chart.js';
import { type Dated, type Draft, draftOf, type Line } from './entry.js';
import { line, netLines } from './lines.js';

export interface Opening {
  assetCode: string;
  /** The operating balance. */
  balance: string;
  /** Milliseconds of the service's clock. */
  at: number;
}

export function openingEntry({ assetCode, balance, at }: Opening): Draft {
  return ofBalance('opening', assetCode, 'operating', {
    lines: pair(accounts.operating, accounts.opening, assetCode, balance),
    description: 'opening balance',
    dated: { at, by: 'opening' },
  });
}

/** What a sub-wallet's transactions added up to then: the service shows no balance of theirs. */
export function subWalletOpeningEntry(account: string, { assetCode, balance, at }: Opening): Draft {
  const own = subWalletAccount(accounts.subWallets, account);
  return ofBalance('opening', assetCode, `account:${account}`, {
    lines: netLines([
      line(own, assetCode, balance),
      line(subWalletAccount(accounts.customers, account), assetCode, negated(balance)),
    ]),
    description: 'opening balance of a sub-wallet',
    dated: { at, by: 'opening' },
  });
}

/** What finance said of a part of a residual that no list shows. */
export interface Attributed {
  id: string;
  assetCode: string;
  amount: string;
  /** What it stands against; null: finance named no account. */
  contra: string | null;
  /** The rebooking that says so, how many there were until then, and on which day it is booked; null: none was. */
  rebooked: { id: string; step: number; on: string } | null;
  note: string;
  actor: string;
  /** Of the decision by which another person approved it; null: nobody had to. */
  decision: string | null;
  approvedBy: string | null;
  at: number;
  /** YYYY-MM-DD, the day that finance named; null: none. */
  day: string | null;
}

export function attributionEntry(given: Attributed): Draft {
  const { id, assetCode, amount, contra, rebooked, note, actor, decision, approvedBy, at, day } = given;
  const approval = approvedBy === null ? '' : `, approved by ${approvedBy}, decision ${decision}`;
  const said = rebooked === null ? `attribution ${id}` : `rebooking ${rebooked.id} of attribution ${id}`;
  const description = `${note} (${said} by ${actor}${approval})`;
  const own: Dated = { at, by: 'attributed', ...(day === null ? {} : { day }) };
  const dated = rebooked === null ? own : { ...own, bookedOn: rebooked.on };
  const about = {
    key: 'attribution',
    mode: 'fact',
    lines: attributionLines(assetCode, amount, contra),
    description,
    dated,
    ...(rebooked === null ? {} : { reversal: { description: `reversal: ${description}`, dated } }),
  } as const;
  return draftOf({ kind: 'attribution', id }, about, { kind: 'balance', id: assetCode });
}

export function attributionLines(assetCode: string, amount: string, contra: string | null): Line[] {
  return pair(accounts.operating, contra ?? accounts.unobservable, assetCode, amount);
}

export interface InTransit {
  /** A day as YYYY-MM-DD; of a month that was closed before payouts were placed by days: the month. */
  key: string;
  /** What payouts and the sub-wallets' transactions left in transit then. */
  amount: string;
  /** The last of them: its day in the books, and in milliseconds when it was. */
  day: string;
  lastAt: number;
}

/**
 * Payouts of which no record says whose they are, less those that the sub-wallets' transactions show: the operating balance paid
 * them. Day by day, so that each stands where its payouts do, at what they are worth there; `correction` is what the proof of the
 * balance distinguishes beyond that, and belongs to the last of the days.
 */
export function placementEntries(
  assetCode: string,
  spans: readonly InTransit[],
  { isPlaced, correction }: { isPlaced: boolean; correction: string },
): Draft[] {
  const last = [...spans].sort((a, b) => (a.key < b.key ? -1 : 1)).at(-1);
  return spans.map(({ key, amount, day, lastAt }): Draft => {
    const placed = key === last?.key ? addAmounts(amount, correction) : amount;
    return ofBalance('placement', assetCode, key, {
      lines: isPlaced ? pair(accounts.operating, accounts.payoutsInTransit, assetCode, placed) : [],
      description: 'payouts that no sub-wallet shows: the operating balance paid them',
      dated: { at: lastAt, by: 'placed', day },
    });
  });
}

function pair(own: Account, other: string, assetCode: string, amount: string): Line[] {
  return netLines([line(own, assetCode, amount), line(other, assetCode, negated(amount))]);
}

function ofBalance(
  recordKind: 'opening' | 'placement',
  assetCode: string,
  key: string,
  about: Pick<Draft, 'lines' | 'description' | 'dated'>,
): Draft {
  const sources = [{ kind: 'balance', id: assetCode }];
  return { recordKind, recordId: assetCode, key, mode: 'state', sources, ...about };
}
