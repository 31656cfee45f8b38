import { createRates, type Rates } from './assets/rates.js';
import { createClock, type SandboxClock } from './base/clock.js';
import { createIdCodec, type IdCodec } from './base/ids.js';
import { createDraw } from './base/random.js';
import { createRecords, type Records } from './base/records.js';
import { defaultFaults, type Faults } from './faults.js';
import type { Invoice } from './invoices/invoice.js';
import { createLedger, type Ledger } from './ledger/ledger.js';
import type { Intent } from './payments/intent.js';
import { createIntentStore, type History, type IntentStore } from './payments/intent-store.js';
import type { Payout } from './payouts/payout.js';
import type { Product } from './products/product.js';
import type { SandboxSettings } from './settings.js';
import type { Settlement } from './settlements/settlement.js';
import type { SettlementAccount } from './settlements/settlement-account.js';
import type { Deposit } from './wallets/deposit.js';
import type { Transaction } from './wallets/transaction.js';
import type { Transfer } from './wallets/transfer.js';
import type { Wallet } from './wallets/wallet.js';
import type { EventSubject } from './webhooks/event-subject.js';

/** What all merchants share. */
export interface Service {
  settings: SandboxSettings;
  clock: SandboxClock;
  rates: Rates;
  faults: Faults;
  /** All that the emulator has of the platform's. */
  merchants: Merchant[];
  /** Known once the server listens. */
  baseUrl: string;
}

/** How other merchants of the platform name one as the destination of a payout. */
export interface MerchantIdentity {
  /** The merchant account. */
  id: string;
  /** The internal e-mail. */
  email: string;
}

/** One merchant's books. A key sees those of its own merchant only. */
export interface Merchant {
  service: Service;
  identity: MerchantIdentity;
  seed: number;
  intents: IntentStore;
  payinIds: IdCodec;
  payoutIds: IdCodec;
  ledger: Ledger;
  payouts: Records<Payout>;
  /** The newest refund (specification 4.5) of each payment that has one. */
  refunds: Map<string, Payout>;
  invoices: Records<Invoice>;
  wallets: Records<Wallet>;
  transactions: Records<Transaction>;
  deposits: Records<Deposit>;
  transfers: Records<Transfer>;
  settlementAccounts: Records<SettlementAccount>;
  settlements: Records<Settlement>;
  products: Records<Product>;
  /** What each idempotency key made: the record's id by operation and key. */
  keys: Map<string, string>;
  inactiveAssets: Set<string>;
  /** Addresses that closed accounts gave back, by asset. */
  addressPool: Map<string, string[]>;
  /** Sends an event of something that happened to a record. */
  emit: (eventType: string, intent: Intent) => void;
  /** The same for any other record. */
  send: (eventType: string, subject: () => EventSubject) => void;
}

export function createService(settings: SandboxSettings): Service {
  const service: Service = {
    settings,
    clock: createClock(settings.realNow, () => service.faults.clockSkewSeconds * 1000),
    rates: createRates(settings),
    faults: defaultFaults(settings),
    merchants: [],
    baseUrl: '',
  };
  return service;
}

export interface NewMerchant {
  seed: number;
  identity: MerchantIdentity;
  /** May be made with the same codecs: see `merchantIds`. */
  history: History;
}

export function createMerchant(service: Service, { seed, identity, history }: NewMerchant): Merchant {
  const ids = merchantIds(seed);
  const records = <T extends { id: string }>(prefix: string): Records<T> => createRecords(createIdCodec(seed, prefix));
  const merchant: Merchant = {
    service,
    identity,
    seed,
    intents: createIntentStore({ ids: ids.intents, history }),
    payinIds: ids.payins,
    payoutIds: ids.payouts,
    ledger: createLedger(),
    payouts: createRecords(ids.payouts),
    refunds: new Map(),
    invoices: records('inv'),
    wallets: records('wa'),
    transactions: records('tx'),
    deposits: records('dep'),
    transfers: records('tr'),
    settlementAccounts: records('sa'),
    settlements: records('se'),
    products: records('prod'),
    keys: new Map(),
    inactiveAssets: new Set(),
    addressPool: new Map(),
    emit: () => undefined,
    send: () => undefined,
  };
  service.merchants.push(merchant);
  return merchant;
}

export function merchantIds(seed: number): { intents: IdCodec; payins: IdCodec; payouts: IdCodec } {
  return {
    intents: createIdCodec(seed, 'pi'),
    payins: createIdCodec(seed, 'payin'),
    payouts: createIdCodec(seed, 'po'),
  };
}

/** A chance of the faults, drawn for the n-th thing of its stream. */
export function strikes(merchant: Merchant, chance: number, stream: string, n: number): boolean {
  return chance > 0 && createDraw(merchant.seed, stream)(n) < chance;
}
