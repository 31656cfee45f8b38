import type { Account } from './account.js';
import { existing } from './base/refusal.js';
import { defaultFaults, type Faults } from './faults.js';
import { ledgerProblems } from './ledger/ledger-problems.js';
import { createStandardIntent, type StandardInput } from './payments/create-standard.js';
import { decideDispute, openDispute } from './payments/dispute.js';
import { cancelIntent } from './payments/expire-intent.js';
import { intentJson } from './payments/intent-record.js';
import { type Payment, payIntent } from './payments/pay-intent.js';
import { advancePayout, type PayoutStep } from './payouts/advance-payout.js';
import {
  createDashboardPayout,
  type DashboardPayoutInput,
  dashboardPayoutSchema,
} from './payouts/create-dashboard-payout.js';
import { payoutRecord } from './payouts/payout.js';
import type { Service } from './service.js';
import { findWallet } from './wallets/find-wallet.js';
import { receiveDeposit } from './wallets/receive-deposit.js';
import { createWallet, type NewWalletRequest, newWalletSchema } from './wallets/save-wallet.js';
import type { Endpoint, NewEndpoint } from './webhooks/endpoints.js';
import { testSend } from './webhooks/test-send.js';

/** What the outside world and the dashboard do, without HTTP: for tests, drills and the demo. Refusals are thrown. */
export interface SandboxControl {
  /** Milliseconds on the sandbox's clock. */
  now(): number;
  advance(seconds: number): void;
  /** Answers the id of the new payment intent. */
  createPayment(input: StandardInput): string;
  /** Answers the id of the payin. */
  pay(id: string, payment?: Payment): string;
  cancel(id: string): boolean;
  dispute(id: string, amount?: string): void;
  decide(id: string, decision: 'encash' | 'refund'): void;
  /** The payment vanishes from the service, as after a reset of its environment. */
  remove(id: string): boolean;
  /** The record as the list shows it; null when there is none. Metadata has passed through JSON.parse. */
  paymentIntent(id: string): Record<string, unknown> | null;
  /** What does not add up in the books of both merchants: empty when all is well. */
  ledgerProblems(): string[];
  /** Answers the id of the new account. */
  createAccount(input?: Partial<NewWalletRequest>): string;
  /** To a sub-wallet, or to the operating balance for null. Answers the id of the deposit. */
  deposit(accountId: string | null, assetCode: string, amount: string): string;
  /** Answers the id of the new payout, made in the dashboard. */
  createPayout(input: DashboardPayoutInput): string;
  advancePayout(id: string, step: PayoutStep): void;
  /** Ids of the payins that the second merchant got from the first, newest first. */
  internalPayins(): string[];
  payout(id: string): Record<string, unknown> | null;
  addEndpoint(input: NewEndpoint): Endpoint;
  removeEndpoint(id: string): void;
  setEndpointActive(id: string, isActive: boolean): void;
  /** Answers the id of the delivery. */
  testSend(endpointId: string, eventType: string): string;
  /** Every fault that is not given goes back to its default. */
  setFaults(faults: Partial<Faults>): void;
  /** Resolves when every delivery that is due has been attempted. Retries that lie ahead do not count. */
  deliveriesIdle(): Promise<void>;
}

export function createControl(service: Service, own: Account, other: Account): SandboxControl {
  const { clock } = service;
  const { merchant, webhooks } = own;
  return {
    now: () => clock.now(),
    advance: (seconds) => clock.advance(seconds),
    createPayment: (input) => createStandardIntent(merchant, input).id,
    pay: (id, payment) => payIntent(merchant, id, payment).id,
    cancel: (id) => cancelIntent(merchant, id),
    dispute: (id, amount) => void openDispute(merchant, id, amount),
    decide: (id, decision) => void decideDispute(merchant, id, decision),
    remove: (id) => merchant.intents.remove(id),
    paymentIntent(id) {
      const intent = merchant.intents.read(id);
      return intent ? (JSON.parse(intentJson(intent, service.baseUrl)) as Record<string, unknown>) : null;
    },
    ledgerProblems: () => [own, other].flatMap((one) => ledgerProblems(one.merchant)),
    createAccount: (input) => createWallet(merchant, newWalletSchema.parse(input ?? {})).id,
    deposit: (accountId, assetCode, amount) =>
      receiveDeposit(merchant, accountId === null ? null : findWallet(merchant, accountId), { assetCode, amount }).id,
    createPayout: (input) => createDashboardPayout(merchant, dashboardPayoutSchema.parse(input)).id,
    advancePayout(id, step) {
      const payout = existing(merchant.payouts.get(id), 'payout');
      advancePayout(merchant, payout, step);
    },
    internalPayins: () =>
      other.merchant.deposits
        .newestFirst()
        .filter(({ isInternal }) => isInternal)
        .map(({ id }) => id),
    payout(id) {
      const payout = merchant.payouts.get(id);
      return payout ? payoutRecord(payout, service.faults.links) : null;
    },
    addEndpoint: (input) => webhooks.endpoints.create(input),
    removeEndpoint: (id) => webhooks.endpoints.remove(id),
    setEndpointActive: (id, isActive) => void webhooks.endpoints.setActive(id, isActive),
    testSend: (endpointId, eventType) => testSend(merchant, webhooks, endpointId, eventType).id,
    setFaults(faults) {
      service.faults = { ...defaultFaults(service.settings), ...faults };
    },
    deliveriesIdle: () => webhooks.idle(),
  };
}
