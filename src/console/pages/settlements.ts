import type { Settlement, SettlementState } from '../../domain/settlements/settlement.js';
import { getSettlement, listSettlements } from '../../records/books/settlements.js';
import { recordDetails } from '../../records/orders/record-details.js';
import { markSettlementAction } from '../actions/mark-settlement.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { breaksOf } from '../view/break-rows.js';
import { entityHref, settlementHref } from '../view/links.js';
import { factsPanel, filters, listTable, type Section, type TableSection } from '../view/sections.js';
import { amount, badge, count, id, money, none, oneLine, type Tone, text, time, type Value } from '../view/values.js';
import { waitingAbout } from './decisions.js';

const arrived = [
  { value: 'no', text: 'not yet' },
  { value: 'yes', text: 'arrived' },
];

export const settlements: Page = {
  path: '/settlements',
  title: 'Settlements',
  group: 'Books',
  filters: [{ name: 'arrived', label: 'Arrived', options: arrived }],
  list: { rows: settlementRows },
  load: async (deps, req) => ({
    intro:
      'What the service turns into money on your bank account. Expected is what the crypto was worth on its day; finance says what the bank shows.',
    sections: [filters(req), await settlementRows(deps, req)],
  }),
};

async function settlementRows({ db, books, now }: PageDeps, req: PageRequest): Promise<TableSection> {
  return listTable(req, await listSettlements(db, books, { ...req.slice, arrived: req.filters['arrived'] }, now()), {
    caption: 'Settlements, newest first',
    columns: [
      ['Payout', ({ payoutId }) => id(payoutId, settlementHref(payoutId))],
      ['State', settlementBadge],
      ['Crypto', ({ amount: of, assetCode }) => amount(of, assetCode), 'end'],
      ['Settled', ({ settledOn }) => day(settledOn)],
      ['Age, days', ({ ageDays }) => count(ageDays), 'end'],
      ['Expected', ({ expected, currency }) => money(expected, currency), 'end'],
      ['Arrived', ({ arrival }) => money(arrival?.amount, arrival?.currency), 'end'],
      ['Missing', ({ missing, currency }) => money(missing, currency), 'end'],
    ],
    unfit: ['No settlement fits', 'Days are those on which the payout was made.'],
    empty: ['No settlement yet', 'A payout whose type the contract knows as a settlement stands here.'],
  });
}

export const settlement: Page = {
  path: '/settlements/:id',
  title: 'Settlement',
  load: async (deps, req) => {
    const { db, books, now } = deps;
    const found = await getSettlement(db, books, req.params['id'] ?? '', now());
    if (found === null) return null;
    const { payoutId, currency } = found;
    const details = await recordDetails(db, 'payout', payoutId);
    return {
      title: payoutId,
      badges: [settlementBadge(found)],
      actions: [req.button(markSettlementAction, { id: payoutId })],
      sections: [
        ...(await waitingAbout(deps, `payout ${payoutId}`)),
        ...breaksOf(details?.breaks ?? []),
        factsPanel('The crypto leg', [
          ['Payout', id(payoutId, entityHref('payout', payoutId))],
          ['State at the service', text(found.status)],
          ['Amount', amount(found.amount, found.assetCode)],
          ['Booked on', day(found.settledOn)],
          ['Expected', found.expected === null ? none('no rate of that day') : money(found.expected, currency)],
        ]),
        bankPanel(found),
      ],
    };
  },
};

function bankPanel({ arrival, missing, currency }: Settlement): Section {
  if (arrival === null) return factsPanel('At the bank', [['Arrived', none('not yet')]]);
  return factsPanel('At the bank', [
    ['Arrived', money(arrival.amount, arrival.currency)],
    ['On', day(arrival.on)],
    ['Reference', text(arrival.reference)],
    ['Missing', money(missing, currency)],
    ['The rest is', text(arrival.difference)],
    ['Note', text(arrival.note)],
    ['Said by', text(arrival.by)],
    ['Said', time(arrival.at)],
  ]);
}

const day = (on: string | null): Value => (on === null ? none() : oneLine(on));

const tones: Readonly<Record<SettlementState, Tone>> = {
  under_way: 'quiet',
  waiting: 'info',
  late: 'warn',
  arrived: 'good',
  short: 'bad',
  over: 'bad',
  failed: 'quiet',
  history: 'quiet',
};

const settlementBadge = ({ state }: Settlement): Value => badge(state.replace('_', ' '), tones[state]);
