import type { Json, JsonObject } from '../../src/domain/json.js';
import type { ServiceReader } from '../../src/reconcile/service-reader.js';
import { NotFoundError } from '../../src/service-api/service-errors.js';
import type { Random } from './random.js';

export interface Payin {
  id: string;
  intent: string;
  status: string;
  kyt: string | null;
  createdAt: number;
  /** The detail answers 404 until then, though the list sums the payin up. */
  visibleAt: number;
}

export interface Payment {
  id: string;
  reference: string;
  status: string;
  irregular: string;
  createdAt: number;
  payins: Payin[];
}

export interface SentEvent {
  due: number;
  type: string;
  data: JsonObject;
  /** Unix seconds: of the change, or of the attempt with the payload of the change. */
  timestamp: number;
}

const MOST_PAYMENTS = 12;
const ORDERS = 8;

/**
 * A service in memory on which payments, payins and their screening move on while it is asked. It sends events of most
 * changes: late, twice, out of order, whole, in part or as a bare id. Its clock is off by up to a second from what it is
 * taken for.
 */
export class ShopModel implements ServiceReader {
  clock = Date.parse('2026-03-01T12:00:00Z');
  resting = false;
  readonly payments: Payment[] = [];
  outbox: SentEvent[] = [];
  private readonly random: Random;
  private readonly skew: number;

  constructor(random: Random) {
    this.random = random;
    this.skew = random.pick([-900, 0, 900]);
  }

  serviceNow(): number {
    return this.clock + this.skew;
  }

  async reply(
    operation: string,
    { path, query = {} }: { path?: Record<string, string>; query?: Record<string, string | number> },
  ): Promise<{ data: Json; from: number; to: number }> {
    const from = this.clock + Math.min(this.skew, 0);
    this.clock += 50;
    this.move();
    this.clock += 50;
    const data = operation === 'getPayin' ? this.detail(path?.['id']) : this.page(query);
    return { data, from, to: this.clock + 1_000 };
  }

  /** Something may happen. */
  move(): void {
    if (this.resting || this.random.below(3) > 0) return;
    if (this.payments.length < MOST_PAYMENTS && this.random.below(4) === 0) this.open();
    else if (this.payments.length > 0) this.advance(this.random.pick(this.payments));
  }

  private open(): void {
    const id = `pi_${this.payments.length}`;
    const reference = `order-${this.random.below(ORDERS)}`;
    this.payments.push({ id, reference, status: 'pending', irregular: 'none', createdAt: this.clock, payins: [] });
  }

  private advance(payment: Payment): void {
    const dice = this.random.below(6);
    const [payin] = payment.payins;
    if (payment.status === 'pending' && dice < 2) this.pay(payment);
    else if (payin !== undefined && payment.status === 'confirming' && dice < 2) {
      payment.status = 'completed';
      payin.status = 'confirmed';
      payin.kyt ??= 'pending';
      this.announce(payment, payin);
    } else if (payin?.kyt === 'pending' && dice === 3) {
      payin.kyt = this.random.pick(['approved', 'approved', 'rejected']);
      this.announcePayin(payin);
    } else if (payment.status === 'completed' && dice === 4 && this.random.below(5) === 0) {
      payment.irregular = 'pending_decision';
      this.announce(payment);
    }
  }

  private pay(payment: Payment): void {
    const payin: Payin = {
      id: `deposit_${payment.id}`,
      intent: payment.id,
      status: 'confirming',
      kyt: this.random.pick(['pending', null]),
      createdAt: this.clock,
      visibleAt: this.clock + this.random.below(3) * 8_000,
    };
    payment.status = 'confirming';
    payment.payins.push(payin);
    this.announce(payment, payin);
  }

  private announce(payment: Payment, payin?: Payin): void {
    const { id, status } = payment;
    const data = this.random.pick<JsonObject>([recordOf(payment), { id }, { paymentIntent: { id, status } }]);
    this.send(this.random.pick([`payment_intent.${status}`, 'payment_intent.updated']), data);
    if (payin) this.announcePayin(payin);
  }

  private announcePayin(payin: Payin): void {
    const { id, intent, status } = payin;
    const part = { id, paymentIntentId: intent, status };
    const data = this.random.pick<JsonObject>([detailOf(payin), { payinId: id }, part]);
    this.send(this.random.pick([`payin.${status}`, 'payin.updated']), data);
  }

  private send(type: string, data: JsonObject): void {
    if (this.random.below(4) === 0) return;
    for (let copies = 1 + this.random.below(2); copies > 0; copies--) {
      const due = this.clock + this.random.below(2) * this.random.below(20_000);
      const stamp = this.random.pick([this.clock, due]);
      this.outbox.push({ due, type, data, timestamp: Math.floor(stamp / 1_000) });
    }
  }

  private detail(id: string | undefined): JsonObject {
    const payins = this.payments.flatMap((payment) => payment.payins);
    const payin = payins.find((known) => known.id === id && known.visibleAt <= this.clock);
    if (payin) return detailOf(payin);
    throw new NotFoundError('not found', {
      operation: 'getPayin',
      status: 404,
      serviceCode: null,
      serviceMessage: null,
      isOwnWord: false,
    });
  }

  private page({ cursor, status, take }: Record<string, string | number>): JsonObject[] {
    const newestFirst = this.payments.toSorted((a, b) => b.createdAt - a.createdAt);
    const start = cursor === undefined ? 0 : newestFirst.findIndex(({ id }) => id === cursor) + 1;
    const listed = cursor !== undefined && start === 0 ? [] : newestFirst.slice(start);
    const wanted = (payment: Payment) =>
      status === undefined || (status === 'irregular' ? payment.irregular !== 'none' : payment.status === status);
    return listed.filter(wanted).slice(0, Number(take)).map(recordOf);
  }
}

const amounts = { amountGross: '10', amountNet: '9.9', feeAmount: '0.1', assetCode: 'BTC' };

function recordOf({ id, reference, status, irregular, createdAt, payins }: Payment): JsonObject {
  return {
    id,
    status,
    irregularStatus: irregular,
    merchantReference: reference,
    amountRequested: '10',
    currencyRequested: 'BTC',
    requestedCurrencyType: 'crypto',
    amountCryptoExpected: null,
    totalAmountReceived: status === 'completed' ? '10' : '0',
    createdAt: new Date(createdAt).toISOString(),
    payins: payins.map((payin) => ({
      id: payin.id,
      ...amounts,
      status: payin.status,
      txid: null,
      createdAt: new Date(payin.createdAt).toISOString(),
    })),
  };
}

function detailOf({ id, intent, status, kyt, createdAt }: Payin): JsonObject {
  const created = new Date(createdAt).toISOString();
  return { id, paymentIntentId: intent, ...amounts, status, kytStatus: kyt, createdAt: created };
}
