import { addressOf } from '../assets/address.js';
import { assetOf } from '../assets/assets.js';
import { createDraw, hexOf } from '../base/random.js';
import type { Deposit } from '../wallets/deposit.js';

type Given = Pick<
  Deposit,
  'id' | 'number' | 'accountId' | 'assetCode' | 'amountGross' | 'feeAmount' | 'depositAddress'
> & { confirmedAt: number };

const BLOCK_MS = 10_000;
const STEPS = ['pending', 'confirming', 'confirmed'] as const;

/** There may be a million: what follows from its number is made when it is asked for. */
export class PastDeposit implements Deposit {
  readonly id: string;
  readonly number: number;
  readonly accountId: string | null;
  readonly assetCode: string;
  readonly amountGross: bigint;
  readonly feeAmount: bigint;
  readonly depositAddress: string;
  readonly createdAt: number;
  private readonly seed: number;

  constructor(seed: number, { id, number, accountId, assetCode, confirmedAt, ...more }: Given) {
    this.seed = seed;
    this.id = id;
    this.number = number;
    this.accountId = accountId;
    this.assetCode = assetCode;
    this.amountGross = more.amountGross;
    this.feeAmount = more.feeAmount;
    this.depositAddress = more.depositAddress;
    this.createdAt = confirmedAt - STEPS.length * BLOCK_MS;
  }

  get isPast(): true {
    return true;
  }

  get status(): 'confirmed' {
    return 'confirmed';
  }

  get kytStatus(): 'approved' {
    return 'approved';
  }

  get senderAddress(): string {
    return addressOf(this.seed, 'depositor', this.number, this.assetCode);
  }

  get txid(): string {
    return hexOf(this.seed, 'deposit-txid', this.number, 64);
  }

  get kytRiskScore(): string {
    return (Math.floor(createDraw(this.seed, 'deposit-risk')(this.number) * 2000) / 100).toFixed(2);
  }

  get confirmations(): number {
    return assetOf(this.assetCode).confirmations;
  }

  get history(): Deposit['history'] {
    return STEPS.map((status, n) => ({ status, at: this.createdAt + n * BLOCK_MS }));
  }
}
