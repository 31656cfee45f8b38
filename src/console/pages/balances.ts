import { listBalances } from '../../records/balances/balance-views.js';
import type { Page } from '../page.js';
import { proofBadge, proofOf, type ShownProof } from '../view/balance-words.js';
import { inPath, paging } from '../view/links.js';
import { amount, id, none, time } from '../view/values.js';

export const balances: Page = {
  path: '/balances',
  title: 'Balances',
  group: 'Books',
  load: async ({ db, now }, req) => {
    const at = now();
    const { items, nextCursor } = await listBalances(db, { cursor: req.cursor }, at);
    const part = (proof: ShownProof | null, name: 'unexplained' | 'unobservable') =>
      proof === null ? none('never judged') : amount(proof[name]);
    return {
      intro: 'Opening + movements = balance, for each asset by itself. What nothing accounts for is unexplained.',
      sections: [
        {
          is: 'table',
          caption: 'Balances by asset',
          columns: [
            { label: 'Asset' },
            { label: 'State' },
            { label: 'Balance', align: 'end' },
            { label: 'Unobservable', align: 'end' },
            { label: 'Unexplained', align: 'end' },
            { label: 'Readings agreed' },
          ],
          rows: items.map((item) => {
            const proof = proofOf(item);
            return [
              id(item.id, `/balances/${inPath(item.id)}`),
              proofBadge(proof),
              amount(typeof item['balance'] === 'string' ? item['balance'] : null),
              part(proof, 'unobservable'),
              part(proof, 'unexplained'),
              time(proof?.agreedAt, at),
            ];
          }),
          empty: { title: 'No balance was read yet', text: 'The first run of the kind balances reads them.' },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};
