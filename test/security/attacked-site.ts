import { afterAll, beforeAll } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { DRILL_MS } from '../support/drill.js';
import { type OrderWatch, watchOrders } from '../support/site/order-watch.js';
import { EAGER, SESSION, type Site, type SiteOptions, startSite } from '../support/site/site.js';

export const ASSET = 'USDT.TRC20';
export const DESTINATION = 'TXYZcustomerZrefundZaddressZ00001';
/** Long before the attack: whether such a record is there needs no waiting for a list that lags. */
export const LONG_AGO = new Date(Date.now() - 86_400_000).toISOString();

/** A site for the tests of this file, and what happens there. */
class AttackedSite {
  site!: Site;
  orders!: OrderWatch;
  /** How the service shows records otherwise than they are, each those of its own test. */
  readonly looks: ((record: JsonObject) => JsonObject)[] = [];

  async open(options: Pick<SiteOptions, 'before'>): Promise<void> {
    this.site = await startSite({ env: EAGER, ...options });
    this.site.lens.look((record) => this.looks.reduce((seen, look) => look(seen), record));
    this.orders = watchOrders(this.site);
  }

  request(merchantReference: string | undefined, amount = '100', currency = ASSET): string {
    return this.site.sandbox.control.createPayment({ amount, currency, merchantReference });
  }

  pay(merchantReference: string | undefined, amount = '100'): string {
    const id = this.request(merchantReference, amount);
    this.site.sandbox.control.pay(id);
    return id;
  }

  advance(payout: string, ...steps: ('approve' | 'broadcast' | 'confirm')[]): void {
    for (const step of steps) this.site.sandbox.control.advancePayout(payout, { step });
  }

  /** A refund by a person at the dashboard, whose answer we never see. */
  async refundAtDashboard(paymentIntentId: string): Promise<string> {
    const body = { paymentIntentId, destinationAddress: DESTINATION, totpCode: SESSION.totpCode };
    return String((await this.site.call('/v1/payouts/refund', body, SESSION.token))['id']);
  }

  async refundByOwnCall(paymentIntentId: string): Promise<string> {
    return String(
      (await this.site.ownCall('createRefund', { paymentIntentId, destinationAddress: DESTINATION }))['id'],
    );
  }

  async invoiceByOwnCall(merchantReference: string, amount: string): Promise<string> {
    const body = { customerEmail: 'ann@example.com', customerName: 'Ann', amount, currency: 'USD', merchantReference };
    return String((await this.site.ownCall('createInvoice', body))['id']);
  }
}

export function attackedSite(options: Pick<SiteOptions, 'before'> = {}): AttackedSite {
  const at = new AttackedSite();
  beforeAll(() => at.open(options), DRILL_MS);
  afterAll(() => at.site?.close());
  return at;
}
