import { listBalances } from '../../records/balances/balance-views.js';
import type { Page } from '../page.js';
import { proofBadge, proofOf } from '../view/balance-words.js';
import { inPath } from '../view/links.js';
import { listTable } from '../view/pieces.js';
import { amount, id, none, time, type Value } from '../view/values.js';

export const balances: Page = {
  path: '/balances',
  title: 'Balances',
  group: 'Books',
  load: async ({ db, now }, req) => {
    const at = now();
    const page = await listBalances(db, { cursor: req.cursor }, at);
    const part = (balance: object, name: 'unexplained' | 'unobservable'): Value => {
      const proof = proofOf(balance);
      return proof === null ? none('never judged') : amount(proof[name]);
    };
    return {
      intro: 'Opening + movements = balance, for each asset by itself. What nothing accounts for is unexplained.',
      sections: [
        listTable(req, page, {
          caption: 'Balances by asset',
          columns: [
            ['Asset', (item) => id(item.id, `/balances/${inPath(item.id)}`)],
            ['State', (item) => proofBadge(proofOf(item))],
            ['Balance', (item) => amount(typeof item['balance'] === 'string' ? item['balance'] : null), 'end'],
            ['Unobservable', (item) => part(item, 'unobservable'), 'end'],
            ['Unexplained', (item) => part(item, 'unexplained'), 'end'],
            ['Readings agreed', (item) => time(proofOf(item)?.agreedAt, at)],
          ],
          empty: ['No balance was read yet', 'The first run of the kind balances reads them.'],
        }),
      ],
    };
  },
};
