import type { BalanceProofView } from '../../domain/views/balance-shapes.js';
import { listBalances } from '../../records/balances/balance-views.js';
import type { Page } from '../page.js';
import { proofBadge } from '../view/balance-words.js';
import { inPath } from '../view/links.js';
import { listTable } from '../view/sections.js';
import { amount, id, none, time } from '../view/values.js';

export const balances: Page = {
  path: '/balances',
  title: 'Balances',
  group: 'Books',
  load: async ({ db, now }, req) => {
    const at = now();
    const page = await listBalances(db, { cursor: req.cursor }, at);
    const part = (proof: BalanceProofView | null, name: 'unexplained' | 'unobservable') =>
      proof === null ? none('never judged') : amount(proof[name]);
    return {
      intro: 'Opening + movements = balance, for each asset by itself. What nothing accounts for is unexplained.',
      sections: [
        listTable(req, page, {
          caption: 'Balances by asset',
          columns: [
            ['Asset', (item) => id(item.id, `/balances/${inPath(item.id)}`)],
            ['State', ({ proof }) => proofBadge(proof)],
            ['Balance', (item) => amount(typeof item['balance'] === 'string' ? item['balance'] : null), 'end'],
            ['Unobservable', ({ proof }) => part(proof, 'unobservable'), 'end'],
            ['Unexplained', ({ proof }) => part(proof, 'unexplained'), 'end'],
            ['Readings agreed', ({ proof }) => time(proof?.agreedAt, at)],
          ],
          empty: ['No balance was read yet', 'The first run of the kind balances reads them.'],
        }),
      ],
    };
  },
};
