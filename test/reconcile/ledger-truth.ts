import { addAmounts, subtractAmounts, sumAmounts } from '../../src/domain/money.js';
import type { TestSandbox } from '../sandbox/support.js';

interface Entry {
  number: number;
  type: string;
  assetCode: string;
  recordId: string;
  lines: { account: string; amount: string }[];
}

type Named = Record<string, string> & { id: string };

/** The service's own books, which no API shows. */
export interface Books {
  operating: Map<string, string>;
  /** Of each sub-wallet and asset. */
  wallets: Map<string, Map<string, string>>;
  /** What moved the operating balance, oldest first. */
  moves: { number: number; assetCode: string; what: string; amount: string }[];
}

/** `what`: payment, refund, withdrawal, internal_transfer, settlement, deposit, transfer or closure. */
export async function readBooks(sandbox: TestSandbox): Promise<Books> {
  const { body } = await sandbox.call<{ ledger: Entry[]; payouts: Named[] }>('GET', '/sandbox/truth');
  const types = new Map(body.payouts.map(({ id, payoutType }) => [id, payoutType ?? '']));
  const books: Books = { operating: new Map(), wallets: new Map(), moves: [] };
  for (const { number, type, assetCode, recordId, lines } of body.ledger) {
    const own = lines.filter(({ account }) => account === 'operating').map(({ amount }) => amount);
    const amount = sumAmounts(own);
    books.operating.set(assetCode, addAmounts(books.operating.get(assetCode) ?? '0', amount));
    books.moves.push({ number, assetCode, what: types.get(recordId) ?? type, amount });
    for (const line of lines.filter(({ account }) => account.startsWith('wallet:'))) {
      const id = line.account.slice('wallet:'.length);
      const wallet = books.wallets.get(id) ?? new Map<string, string>();
      books.wallets.set(id, wallet.set(assetCode, addAmounts(wallet.get(assetCode) ?? '0', line.amount)));
    }
  }
  books.moves.sort((a, b) => a.number - b.number);
  return books;
}

/** What moved the operating balance of an asset between two readings of the books, by what it was. */
export function movedBetween(before: Books, after: Books, assetCode: string): (...what: string[]) => string {
  const last = before.moves.at(-1)?.number ?? -1;
  const moves = after.moves.filter((move) => move.number > last && move.assetCode === assetCode);
  return (...what) => sumAmounts(moves.filter((move) => what.includes(move.what)).map(({ amount }) => amount));
}

export function changeBetween(before: Books, after: Books, assetCode: string): string {
  return subtractAmounts(after.operating.get(assetCode) ?? '0', before.operating.get(assetCode) ?? '0');
}
