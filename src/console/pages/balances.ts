import { dayIn } from '../../domain/books/posting-month.js';
import { mayDo } from '../../domain/console-roles.js';
import { isZero } from '../../domain/money.js';
import type { Attribution, BalanceProofView } from '../../domain/views/balance-shapes.js';
import { residualAppeared } from '../../records/balances/balance-proofs.js';
import { getBalance, listBalances } from '../../records/balances/balance-views.js';
import { recordDetails } from '../../records/orders/record-details.js';
import { attributeResidual } from '../actions/attribute-residual.js';
import { rebookAttributionAction } from '../actions/rebook-attribution.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { noticesOf } from '../records/record-rows.js';
import { breaksOf } from '../view/break-rows.js';
import { inPath } from '../view/links.js';
import { approvedBy, howKnown } from '../view/record-words.js';
import {
  type ActionButton,
  type Cell,
  type Column,
  factsPanel,
  filters,
  listTable,
  notice,
  type Section,
  type TableSection,
  table,
} from '../view/sections.js';
import { ago, amount, badge, id, list, none, quiet, stack, text, time, type Value } from '../view/values.js';
import { waitingAbout } from './decisions.js';

export const balances: Page = {
  path: '/balances',
  title: 'Balances',
  group: 'Books',
  list: { rows: balanceRows },
  filters: [{ name: 'assetCode', label: 'Asset', hint: 'the whole code' }],
  load: async (deps, req) => ({
    intro: 'Opening + movements = balance, for each asset by itself. What nothing accounts for is unexplained.',
    sections: [filters(req), await balanceRows(deps, req)],
  }),
};

async function balanceRows({ db, now }: PageDeps, req: PageRequest): Promise<TableSection> {
  const page = await listBalances(db, { filters: req.filters, ...req.slice }, now());
  const part = (proof: BalanceProofView | null, name: 'unexplained' | 'unobservable') =>
    proof === null ? none('never compared') : amount(proof[name]);
  return listTable(req, page, {
    caption: 'Balances by asset',
    columns: [
      ['Asset', (item) => id(item.id, `/balances/${inPath(item.id)}`)],
      ['State', ({ proof }) => proofBadge(proof)],
      ['Balance', (item) => amount(typeof item['balance'] === 'string' ? item['balance'] : null), 'end'],
      ['Unobservable', ({ proof }) => part(proof, 'unobservable'), 'end'],
      ['Unexplained', ({ proof }) => part(proof, 'unexplained'), 'end'],
      ['Polls agreed', ({ proof }) => ago(proof?.agreedAt)],
    ],
    unfit: [
      'No balance fits',
      'A code counts as a whole, upper and lower case too. Days are those on which they were compared last.',
    ],
    empty: ['No balance was read yet', 'The first run of the kind balances reads them.'],
  });
}

export const balance: Page = {
  path: '/balances/:id',
  title: 'Balance',
  load: async (deps, req) => {
    const { db, now, books } = deps;
    const asset = req.params['id'] ?? '';
    const found = await getBalance(db, asset, now());
    const [details, appeared] = await Promise.all([recordDetails(db, 'balance', asset), residualAppeared(db, asset)]);
    if (found === null || details === null) return null;
    const { record } = details;
    const { proof, attributions } = found;
    const shown = (field: string, unit: string) => {
      const value = record[field];
      return amount(typeof value === 'string' ? value : null, unit);
    };
    return {
      title: asset,
      // That the service shows the balance says nothing of whether it is explained: only what is unusual stands beside the verdict.
      badges: [proofBadge(proof), ...(record.verified && record.absentSince === null ? [] : [howKnown(record)])],
      actions: [attributeButton(asset, proof, { appeared, books, req })],
      sections: [
        ...noticesOf({ one: 'balance' }, record),
        ...(await waitingAbout(deps, `balance ${asset}`)),
        verdict(asset, proof),
        ...breaksOf(details.breaks),
        ...(proof === null ? [] : [splitOf(asset, proof, appeared)]),
        factsPanel('As the service shows it', [
          ['Asset', id(asset)],
          ['Balance', shown('balance', asset)],
          ['Frozen', shown('frozen', asset)],
          ['Available', shown('available', asset)],
          ['Rate', shown('usdRate', 'USD')],
          ['Read', ago(record.observedAt)],
          ['Two polls agreed', ago(proof?.agreedAt)],
          ['Compared', ago(proof?.askedAt)],
        ]),
        table(attributions, {
          caption: 'What finance attributed',
          columns: [
            ['When', (one) => time(one.at)],
            ['Day', ({ bookedOn }) => text(bookedOn)],
            ['Amount', (one) => amount(one.amount, asset), 'end'],
            ['Stands on', stoodOn],
            ['Note', ({ note }) => text(note)],
            ['By', ({ actor }) => text(actor)],
            ['Approved by', approvedBy],
            ...rebookColumn(books, req),
          ],
          empty: [
            'Nothing was attributed',
            'Finance attributes what no list shows once, with a note: from then on it counts as accounted for.',
          ],
        }),
      ],
    };
  },
};

/** Where it stands now, and below it where it stood, with who rebooked it and why. */
function stoodOn({ standsOn, rebookings }: Attribution): Value {
  const steps = rebookings.toReversed().map(({ from, bookedOn, note, actor, approvedBy: other }) => {
    const who = other === null ? actor : `${actor}, approved by ${other}`;
    return quiet(`before ${bookedOn} on ${from}: ${note} (${who})`);
  });
  return stack([text(standsOn), ...steps]);
}

function rebookColumn({ timeZone }: PageDeps['books'], req: PageRequest): Column<Attribution>[] {
  if (!mayDo(req.actor, rebookAttributionAction.roles)) return [];
  const button = ({ id: of, assetCode, standsOn, rebookings, bookedOn, at }: Attribution): Cell => {
    const on = rebookings.at(-1)?.bookedOn ?? bookedOn ?? dayIn(timeZone, Date.parse(at));
    const explain = `It stands on ${standsOn}. ${rebookAttributionAction.explain}`;
    const options = { fields: { from: standsOn }, values: { on }, explain };
    return { is: 'action', button: req.button(rebookAttributionAction, { id: assetCode, attribution: of }, options) };
  };
  return [['Wrong account?', button]];
}

/** What may be attributed: the unexplained part, and what went to operations whose amount is not shown. */
function attributeButton(
  asset: string,
  proof: BalanceProofView | null,
  { appeared, books, req }: { appeared: Appeared; books: PageDeps['books']; req: PageRequest },
): ActionButton | null {
  if (proof === null) return null;
  const open = [
    isNothing(proof.unexplained) ? '' : `${proof.unexplained} ${asset} unexplained`,
    isNothing(proof.unknownAmount) ? '' : `${proof.unknownAmount} ${asset} not shown`,
  ].filter((part) => part !== '');
  if (open.length === 0) return null;
  const explain = `Open: ${open.join(', ')}. ${attributeResidual.explain}`;
  const on = appeared === null ? '' : dayIn(books.timeZone, Date.parse(appeared.seen));
  const amountOpen = isNothing(proof.unexplained) ? proof.unknownAmount : proof.unexplained;
  const values = { amount: amountOpen ?? '', on };
  return req.button(attributeResidual, { id: asset }, { explain, values });
}

type Appeared = Awaited<ReturnType<typeof residualAppeared>>;

function verdict(asset: string, proof: BalanceProofView | null): Section {
  if (proof === null)
    return notice('warn', 'Never compared', 'It was polled, and no run of the kind balances has compared it yet.');
  if (proof.status === 'agrees') {
    const text = 'Opening, movements and what finance attributed add up to the balance that the service showed.';
    return notice('good', 'The balance agrees', text);
  }
  if (proof.status === 'unexplained') {
    const text =
      proof.unproven === null
        ? 'No record that the service shows accounts for it. Look for a settlement, a deposit of your own or a payout made in the dashboard; then attribute it with a note.'
        : `It is not proven now: ${proof.unproven}. A record may account for it: see to that first, and attribute nothing until then, or it would be counted twice.`;
    return notice('bad', `${proof.unexplained} ${asset} are unexplained`, text);
  }
  const text = `${proof.unproven}. What stands below is as it was compared last.`;
  return notice('warn', 'It is not known whether the balance agrees', text);
}

/** Each line is a part of the sum; the last one is what two polls of the service agreed on. */
function splitOf(asset: string, proof: BalanceProofView, appeared: Appeared): Section {
  const { opening, explained, unobservable, attributed, unknownAmount, unexplained, agreedBalance } = proof;
  const rows: [part: string, value: string | null | undefined, means: Value][] = [
    ['Opening', opening?.balance, opening === null ? quiet('not taken yet') : time(opening.at)],
    ['+ explained', explained, quiet('by lists of the service that hold all of their kind')],
    ['+ unobservable', unobservable, quiet('known operations that no list holds all of, and what finance attributed')],
    ['of which attributed', attributed, quiet('by finance, with a note: see below')],
    ['of which not shown', unknownAmount, quiet('went to operations whose amount nothing shows: attribute it')],
    ['+ unexplained', unexplained, stack([quiet('nothing accounts for it: a break'), ...whenOf(appeared)])],
    ['= balance', agreedBalance, quiet('that the service showed')],
  ];
  return table(rows, {
    caption: 'What the balance is made of',
    columns: [
      ['Part', ([part]) => text(part)],
      ['Amount', ([, value]) => amount(value, asset), 'end'],
      ['What it is', ([, , means]) => means],
    ],
  });
}

function whenOf(appeared: Appeared): Value[] {
  if (appeared === null) return [];
  const { clean, seen } = appeared;
  return [list([quiet('it appeared between'), time(clean), quiet('and the poll of'), time(seen)])];
}

function proofBadge(proof: BalanceProofView | null): Value {
  if (proof === null) return badge('never compared', 'warn');
  if (proof.status === 'agrees') return badge('agrees', 'good');
  return proof.status === 'unproven' ? badge('unproven', 'warn') : badge('unexplained', 'bad');
}

/** Where two parts have opposite signs, or one is larger, is for the reader: only zero is called nothing. */
const isNothing = (value: string | null): boolean => value === null || isZero(value);
