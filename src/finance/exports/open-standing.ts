import type { Knex } from 'knex';
import { postedUntil } from '../../records/books/posting-progress.js';
import type { Standing } from './month-tables.js';

/** Of an open month: by what is posted, so that the same books make the same bytes. */
export async function openStanding(trx: Knex): Promise<Standing> {
  const until = await postedUntil(trx);
  const posted = until === null ? 'Nothing is posted yet' : `Posted until ${until}`;
  return { state: 'open', notes: [`${posted}. The month is open: it may still change.`] };
}
