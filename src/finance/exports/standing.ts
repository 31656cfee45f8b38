import type { Knex } from 'knex';
import { doubtedIncomeText } from '../../domain/books/income-statement.js';
import { incomeOfBreaks } from '../../records/books/period-facts.js';
import { postedUntil } from '../../records/books/posting-progress.js';
import type { Standing } from './month-tables.js';

interface Asked {
  month: string;
  currency: string;
}

/** Of an open month: by what is posted, so that the same books make the same bytes. */
export async function openStanding(trx: Knex, asked: Asked): Promise<Standing> {
  const until = await postedUntil(trx);
  const posted = until === null ? 'Nothing is posted yet' : `Posted until ${until}`;
  const doubted = await doubtedIncome(trx, asked);
  const notes = [`${posted}. The month is open: it may still change.`, ...(doubted === null ? [] : [doubted])];
  return { state: 'open', notes };
}

/** What income of a month is in doubt, in a sentence; null: none. */
export async function doubtedIncome(db: Knex, { month, currency }: Asked): Promise<string | null> {
  return doubtedIncomeText(await incomeOfBreaks(db, month, currency), currency);
}
