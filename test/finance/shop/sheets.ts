import { HyperFormula } from 'hyperformula';
import {
  ASSETS,
  deposits,
  disputes,
  MONTHS,
  opening,
  payments,
  payouts,
  rates,
  transactions,
  WALLETS,
} from './records.js';

/** A formula begins with an equals sign. A day is a number in the sheet. */
export type Cell = string | number | { day: string } | null;
interface Sheet {
  name: string;
  rows: Cell[][];
  widths?: number[];
}

const EPOCH = Date.UTC(1899, 11, 30);
export const serial = (day: string): number => (Date.parse(`${day}T00:00:00Z`) - EPOCH) / 86_400_000;
const num = (amount: string): number => Number(amount);
const MOST = 200;
const column = (sheet: string, letter: string): string => `${sheet}!$${letter}$2:$${letter}$${MOST}`;

/** The rate of an asset on a day, both cells of the row. */
const rateAt = (day: string, asset: string) =>
  `SUMIFS(${column('Rates', 'C')},${column('Rates', 'A')},${day},${column('Rates', 'B')},${asset})`;
const monthOf = (day: string) => `YEAR(${day})*100+MONTH(${day})`;

/** Rows of raw records, with what is made of each behind them: `#` is the row. */
function sheet(name: string, heads: string, raws: Cell[][], made: string[] = []): Sheet {
  const rows = raws.map((raw, n) => [...raw, ...made.map((formula) => formula.replaceAll('#', String(n + 2)))]);
  return { name, rows: [heads.split(' | '), ...rows] };
}

const RAW: Sheet[] = [
  sheet(
    'Rates',
    'Day | Asset | EUR',
    rates.map(({ on, asset, rate }) => [{ day: on }, asset, num(rate)]),
  ),
  sheet(
    'Opening',
    'Asset | Day | Amount | Month | Amount in EUR',
    opening.map(({ asset, on, amount }) => [asset, { day: on }, num(amount)]),
    [`=${monthOf('B#')}`, `=C#*${rateAt('B#', 'A#')}`],
  ),
  sheet(
    'Payments',
    'Payment | Completed | Asset | Received | Fee | Month | Rate | Net | Received in EUR | Fee in EUR | Net in EUR',
    payments.map(({ id, on, asset, received, fee }) => [id, { day: on }, asset, num(received), num(fee)]),
    [`=${monthOf('B#')}`, `=${rateAt('B#', 'C#')}`, '=D#-E#', '=D#*G#', '=E#*G#', '=H#*G#'],
  ),
  sheet(
    'Disputes',
    'Payment | Asset | In question | Fee of it | Opened | Decided | Decision | Month opened | Month decided | Rate opened | Rate decided | Net | In question in EUR, opened | Fee in EUR, opened | Net in EUR, opened | In question in EUR, decided | Fee in EUR, decided | Net in EUR, decided',
    disputes.map(({ payment, asset, inQuestion, fee, opened, decided, decision }) => [
      payment,
      asset,
      num(inQuestion),
      num(fee),
      { day: opened },
      decided === null ? '-' : { day: decided },
      decision,
    ]),
    [
      `=${monthOf('E#')}`,
      `=IF(G#="open",0,${monthOf('F#')})`,
      `=${rateAt('E#', 'B#')}`,
      `=IF(G#="open",0,${rateAt('F#', 'B#')})`,
      '=C#-D#',
      '=C#*J#',
      '=D#*J#',
      '=L#*J#',
      '=C#*K#',
      '=D#*K#',
      '=L#*K#',
    ],
  ),
  sheet(
    'Payouts',
    'Payout | Type | Confirmed | Asset | Amount | Fee | Fee borne by | Out of | Month | Rate | Our fee | Left the balance | Amount in EUR | Our fee in EUR | Left the balance in EUR',
    payouts.map((one) => [
      one.id,
      one.type,
      { day: one.on },
      one.asset,
      num(one.amount),
      num(one.fee),
      one.bearer,
      one.from,
    ]),
    [`=${monthOf('C#')}`, `=${rateAt('C#', 'D#')}`, '=IF(G#="merchant",F#,0)', '=E#+K#', '=E#*J#', '=K#*J#', '=L#*J#'],
  ),
  sheet(
    'Deposits',
    'Deposit | Type | Confirmed | Asset | Gross | Fee | Month | Rate | Net | Gross in EUR | Fee in EUR | Net in EUR',
    deposits.map(({ id, type, on, asset, gross, fee }) => [id, type, { day: on }, asset, num(gross), num(fee)]),
    [`=${monthOf('C#')}`, `=${rateAt('C#', 'D#')}`, '=E#-F#', '=E#*H#', '=F#*H#', '=I#*H#'],
  ),
  sheet(
    'Wallets',
    'Transaction | Sub-wallet | Type | Made | Asset | Amount | Fee | Other side | Month | Rate | To the operating balance | Fee taken | Paid to or by us | Amount in EUR | To the operating balance in EUR | Fee taken in EUR | Paid to or by us in EUR',
    transactions.map(({ id, wallet, type, on, asset, amount, fee, other }) => {
      return [id, wallet, type, { day: on }, asset, num(amount), num(fee), other];
    }),
    [
      `=${monthOf('D#')}`,
      `=${rateAt('D#', 'E#')}`,
      '=IF(OR(C#="closure",H#="operating"),-F#,IF(C#="transfer_out",G#,0))',
      '=IF(OR(H#="operating",C#="transfer_out"),G#,0)',
      '=IF(H#="operating",F#+G#,0)',
      '=F#*J#',
      '=K#*J#',
      '=L#*J#',
      '=M#*J#',
    ],
  ),
];

/** Which column of a sheet adds to an account, of which rows: `units` and `euros` are letters, `where` column and word. */
interface Term {
  sign: 1 | -1;
  sheet: string;
  month: string;
  asset: string;
  units: string;
  euros: string;
  where: [letter: string, word: string][];
}
const of =
  (name: string, month: string, asset: string) =>
  (sign: 1 | -1, units: string, euros: string, ...where: [string, string][]): Term => ({
    sign,
    sheet: name,
    month,
    asset,
    units,
    euros,
    where,
  });
const began = of('Opening', 'D', 'A');
const paid = of('Payments', 'F', 'C');
const opened = of('Disputes', 'H', 'B');
const decided = of('Disputes', 'I', 'B');
const sent = of('Payouts', 'I', 'D');
const came = of('Deposits', 'G', 'D');
const wallet = of('Wallets', 'I', 'E');
const OWN: [string, string] = ['H', 'own'];
const ENCASHED: [string, string] = ['G', 'encashed'];

/** A debit is positive. */
const ACCOUNTS: Record<string, Term[]> = {
  // What is released keeps the value with which it was held.
  'assets:held:disputes': [opened(1, 'C', 'M'), decided(-1, 'C', 'M')],
  'assets:operating': [
    began(1, 'C', 'E'),
    paid(1, 'H', 'K'),
    opened(-1, 'L', 'O'),
    decided(1, 'L', 'R', ENCASHED),
    sent(-1, 'L', 'O', OWN),
    came(1, 'I', 'L'),
    wallet(1, 'K', 'O'),
  ],
  ...Object.fromEntries(WALLETS.map((id) => [`assets:sub-wallets:${id}`, [wallet(1, 'F', 'N', ['B', id])]])),
  'equity:conversion': [sent(1, 'E', 'M', OWN, ['B', 'settlement'])],
  'equity:deposits': [came(-1, 'E', 'J', ['B', 'merchant_deposit'])],
  'equity:opening': [began(-1, 'C', 'E')],
  'equity:transfers': [sent(1, 'E', 'M', OWN, ['B', 'internal']), came(-1, 'E', 'J', ['B', 'internal_transfer'])],
  'equity:withdrawals': [sent(1, 'E', 'M', OWN, ['B', 'withdrawal'])],
  'expenses:fees:service': [
    paid(1, 'E', 'J'),
    opened(-1, 'D', 'N'),
    decided(1, 'D', 'Q', ENCASHED),
    sent(1, 'K', 'N', OWN),
    came(1, 'F', 'K'),
  ],
  'expenses:sub-wallets': [wallet(1, 'M', 'Q', ['C', 'transfer_in'])],
  'income:fees:transfers': [wallet(-1, 'L', 'P')],
  'income:payments': [paid(-1, 'D', 'I'), opened(1, 'C', 'M'), decided(-1, 'C', 'P', ENCASHED)],
  'income:refunds': [sent(1, 'E', 'M', OWN, ['B', 'refund'])],
  'income:sub-wallets': [wallet(1, 'M', 'Q', ['C', 'transfer_out'])],
  'liabilities:closed-wallets': [wallet(1, 'F', 'N', ['C', 'closure'])],
  ...Object.fromEntries(WALLETS.map((id) => [`liabilities:customers:${id}`, [wallet(-1, 'F', 'N', ['B', id])]])),
  'liabilities:disputes': [opened(-1, 'C', 'M'), decided(1, 'C', 'M')],
};

function sumOf(terms: readonly Term[], which: 'units' | 'euros', row: number): string {
  const parts = terms.map(({ sign, sheet: name, month, asset, where, ...letters }) => {
    const conditions = [[month, '$B$1'], [asset, `$B${row}`], ...where.map(([letter, word]) => [letter, `"${word}"`])];
    const asked = conditions.map(([letter = '', value]) => `${column(name, letter)},${value}`);
    return `${sign === 1 ? '+' : '-'}SUMIFS(${column(name, letters[which])},${asked.join(',')})`;
  });
  return `=${parts.join('')}`;
}

const names = Object.keys(ACCOUNTS);
const FIRST_ROW = 4;
const FIRST_SUM = FIRST_ROW + names.length * ASSETS.length + 1;

/** Each account and asset, in units and exact in EUR; below, each account in EUR and cents. */
function monthSheet(month: string, before: string | undefined): Sheet {
  const carried = (letter: string, row: number) => (before === undefined ? 0 : `='${before}'!${letter}${row}`);
  const rows = names.flatMap((account, n) =>
    ASSETS.map((asset, place): Cell[] => {
      const row = FIRST_ROW + n * ASSETS.length + place;
      const terms = ACCOUNTS[account] ?? [];
      return [
        account,
        asset,
        carried('E', row),
        sumOf(terms, 'units', row),
        `=C${row}+D${row}`,
        carried('H', row),
        sumOf(terms, 'euros', row),
        `=F${row}+G${row}`,
      ];
    }),
  );
  const sums = names.map((account, n): Cell[] => {
    const row = FIRST_SUM + n;
    const own = FIRST_ROW + n * ASSETS.length;
    const activity = `=ROUND(SUM(G${own}:G${own + ASSETS.length - 1}),2)`;
    return [account, null, null, null, null, carried('H', row), activity, `=ROUND(F${row}+G${row},2)`];
  });
  const euros = ['Opening in EUR', 'Activity in EUR', 'Closing in EUR'];
  return {
    name: month,
    rows: [
      ['Month', Number(month.replace('-', ''))],
      [],
      ['Account', 'Asset', 'Opening', 'Activity', 'Closing', ...euros],
      ...rows,
      ['By account, in cents', null, null, null, null, ...euros],
      ...sums,
    ],
    widths: [30],
  };
}

export const sheets: Sheet[] = [...MONTHS.map((month, n) => monthSheet(month, MONTHS[n - 1])), ...RAW];

/** What a table program shows in each cell. */
export function calculated(): Map<string, (string | number | null)[][]> {
  const plain = sheets.map(({ name, rows }) => {
    return [
      name,
      rows.map((row) => row.map((cell) => (cell !== null && typeof cell === 'object' ? serial(cell.day) : cell))),
    ] as const;
  });
  const engine = HyperFormula.buildFromSheets(Object.fromEntries(plain), {
    licenseKey: 'gpl-v3',
    smartRounding: false,
  });
  const found = engine.getAllSheetsValues();
  engine.destroy();
  return new Map(
    Object.entries(found).map(([name, rows]) => [
      name,
      rows.map((row) => row.map((cell) => (typeof cell === 'number' || typeof cell === 'string' ? cell : null))),
    ]),
  );
}

export interface AccountRow {
  account: string;
  /** Null: of all assets, in cents. */
  asset: string | null;
  units: number[];
  euros: number[];
}

/** Opening, activity and closing of each account in a month, as its sheet shows them. */
export function accountRows(values: ReturnType<typeof calculated>, month: string): AccountRow[] {
  return (values.get(month) ?? []).slice(FIRST_ROW - 1).flatMap((row) => {
    const [account, asset = null, ...numbers] = row;
    if (typeof account !== 'string' || !names.includes(account)) return [];
    const sums = numbers.map(Number);
    return [{ account, asset: asset === null ? null : String(asset), units: sums.slice(0, 3), euros: sums.slice(3) }];
  });
}
