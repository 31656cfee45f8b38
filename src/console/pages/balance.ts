import { getBalance } from '../../records/balances/balance-views.js';
import { recordDetails } from '../../records/orders/record-details.js';
import { attributeResidual } from '../actions/attribute-residual.js';
import type { Page, PageRequest } from '../page.js';
import { breaksOf, noticesOf } from '../records/record-notices.js';
import { attributionsOf, isNothing, proofBadge, proofOf, type ShownProof } from '../view/balance-words.js';
import { howKnown } from '../view/record-words.js';
import type { ActionButton, Section } from '../view/sections.js';
import { amount, id, quiet, text, time, type Value } from '../view/values.js';

export const balance: Page = {
  path: '/balances/:id',
  title: 'Balance',
  load: async ({ db, now }, req) => {
    const asset = req.params['id'] ?? '';
    const at = now();
    const found = await getBalance(db, asset, at);
    const details = await recordDetails(db, 'balance', asset);
    if (found === null || details === null) return null;
    const { record } = details;
    const proof = proofOf(found);
    return {
      title: asset,
      badges: [proofBadge(proof), howKnown(record)],
      crumbs: [{ text: 'Balances', href: '/balances' }],
      actions: [attributeButton(asset, proof, req)],
      sections: [
        ...noticesOf({ one: 'balance' }, record),
        verdict(asset, proof),
        ...breaksOf(details.breaks, at),
        ...(proof === null ? [] : [splitOf(asset, proof)]),
        {
          is: 'panel',
          title: 'As the service shows it',
          sections: [
            {
              is: 'facts',
              facts: [
                ['Asset', id(asset)],
                ['Balance', shown(record['balance'], asset)],
                ['Frozen', shown(record['frozen'], asset)],
                ['Available', shown(record['available'], asset)],
                ['Rate', shown(record['usdRate'], 'USD')],
                ['Read', time(record.observedAt, at)],
                ['Two readings agreed', time(proof?.agreedAt, at)],
                ['Judged', time(proof?.askedAt, at)],
              ],
            },
          ],
        },
        attributionsTable(found, asset),
      ],
    };
  },
};

/** What may be attributed: the unexplained part, and what went to operations whose amount is not shown. */
function attributeButton(asset: string, proof: ShownProof | null, req: PageRequest): ActionButton | null {
  if (proof === null) return null;
  const open = [
    isNothing(proof.unexplained) ? '' : `${proof.unexplained} ${asset} unexplained`,
    isNothing(proof.unknownAmount) ? '' : `${proof.unknownAmount} ${asset} not shown`,
  ].filter((part) => part !== '');
  if (open.length === 0) return null;
  const explain = `Open: ${open.join(', ')}. ${attributeResidual.explain}`;
  return req.button(attributeResidual, { id: asset }, { explain });
}

function verdict(asset: string, proof: ShownProof | null): Section {
  if (proof === null) {
    const text = 'It was read, and no run of the kind balances has judged it yet.';
    return { is: 'notice', tone: 'warn', title: 'Never judged', text };
  }
  if (proof.status === 'agrees') {
    const text = 'Opening, movements and what finance attributed add up to the balance that two readings agreed on.';
    return { is: 'notice', tone: 'good', title: 'The balance agrees', text };
  }
  const why = proof.unproven === null ? '' : ` It is also not proven now: ${proof.unproven}.`;
  if (proof.status === 'unexplained') {
    return {
      is: 'notice',
      tone: 'bad',
      title: `${proof.unexplained} ${asset} are unexplained`,
      text: `No record that the service shows accounts for it. Look for a settlement, a deposit of your own or a payout made in the dashboard; then attribute it with a note.${why}`,
    };
  }
  return {
    is: 'notice',
    tone: 'warn',
    title: 'It is not known whether the balance agrees',
    text: `${proof.unproven}. What stands below is as it was judged last.`,
  };
}

/** Each line is a part of the sum; the last one is what two polls of the service agreed on. */
function splitOf(asset: string, proof: ShownProof): Section {
  const { opening, explained, unobservable, attributed, unknownAmount, unexplained, agreedBalance } = proof;
  const row = (part: string, value: string | null, means: string): Value[] => [
    text(part),
    amount(value, asset),
    quiet(means),
  ];
  return {
    is: 'table',
    caption: 'What the balance is made of',
    showCaption: true,
    columns: [{ label: 'Part' }, { label: 'Amount', align: 'end' }, { label: 'What it is' }],
    rows: [
      [text('Opening'), amount(opening?.balance, asset), opening === null ? quiet('not taken yet') : time(opening.at)],
      row('+ explained', explained, 'by lists of the service that hold all of their kind'),
      row('+ unobservable', unobservable, 'known operations that no list holds all of, and what finance attributed'),
      row('of which attributed', attributed, 'by finance, with a note: see below'),
      row('of which not shown', unknownAmount, 'went to operations whose amount nothing shows: attribute it'),
      row('+ unexplained', unexplained, 'nothing accounts for it: a break'),
      row('= balance', agreedBalance, 'that two readings agreed on'),
    ],
    empty: { title: '', text: '' },
  };
}

function attributionsTable(found: object, asset: string): Section {
  return {
    is: 'table',
    caption: 'What finance attributed',
    showCaption: true,
    columns: [{ label: 'When' }, { label: 'Amount', align: 'end' }, { label: 'Note' }, { label: 'By' }],
    rows: attributionsOf(found).map((one) => [
      time(one.at),
      amount(one.amount, asset),
      text(one.note),
      text(one.actor),
    ]),
    empty: {
      title: 'Nothing was attributed',
      text: 'Finance attributes what no list shows once, with a note: from then on it counts as accounted for.',
    },
  };
}

function shown(value: unknown, unit: string): Value {
  return amount(typeof value === 'string' ? value : null, unit);
}
