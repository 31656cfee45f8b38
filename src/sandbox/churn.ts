import { createDraw } from './base/random.js';
import { unlessRefused } from './base/unless-refused.js';
import { createStandardIntent } from './payments/create-standard.js';
import { openDispute } from './payments/dispute.js';
import { cancelIntent, isUnpaid } from './payments/expire-intent.js';
import type { Intent } from './payments/intent.js';
import { payIntent } from './payments/pay-intent.js';
import type { Merchant } from './service.js';

/**
 * The list moves between two pages: new rows come in at its head, and rows that the caller has just seen, the cursor row
 * among them, change and so may leave the filter.
 */
export function churn(merchant: Merchant, seen: readonly Intent[], n: number): void {
  const draw = createDraw(merchant.seed, 'churn');
  const inserts = 1 + Math.floor(draw(n * 8) * 3);
  for (let i = 0; i < inserts; i += 1) {
    createStandardIntent(merchant, {
      amount: '10',
      currency: 'USD',
      assetCode: 'USDT.TRC20',
      merchantReference: `churn-${n}-${i}`,
    });
  }
  const last = seen.at(-1);
  const other = seen[Math.floor(draw(n * 8 + 1) * seen.length)];
  if (last) move(merchant, last, draw(n * 8 + 2));
  if (other && other !== last) move(merchant, other, draw(n * 8 + 3));
}

function move(merchant: Merchant, { id }: Intent, draw: number): void {
  const intent = merchant.intents.read(id);
  if (!intent) return;
  if (isUnpaid(intent)) {
    if (draw < 0.5) cancelIntent(merchant, id);
    else payIntent(merchant, id);
  } else if (intent.status === 'completed' && intent.irregularStatus === 'none') {
    // What the payment brought may be spent already, or given back.
    unlessRefused(() => openDispute(merchant, id));
  }
}
