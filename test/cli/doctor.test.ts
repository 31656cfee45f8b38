import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Faults } from '../../src/sandbox/faults.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { runHere } from '../support/run-here.js';
import { isAll } from '../support/sizes.js';

interface Check {
  name: string;
  status: 'ok' | 'finding' | 'unknown';
  found: string;
}
interface Diagnosis {
  items: Check[];
  suggestedContract: object | null;
  suggestedEventIdPointer: string | null;
}

/** Every name that the service may have otherwise, and a read shows. */
const OTHER_NAMES = {
  paymentIntents: {
    status: 'state',
    assetCode: 'asset_code',
    productId: 'product',
    posTerminalId: 'terminalId',
    invoiceId: 'filter[invoiceId]',
  },
  invoices: { merchantReference: 'reference' },
  accounts: { status: 'state', search: 'q', cursor: 'after', take: 'limit' },
  transactions: { from: 'createdFrom', to: 'createdTo', page: 'pageNumber', take: 'page_size' },
  accountTransactions: { cursor: 'starting_after', take: 'limit' },
  deliveries: {
    take: 'limit',
    cursor: 'pageToken',
    paymentIntentId: 'payment_intent_id',
    payoutId: 'payout',
    depositId: 'deposit',
    accountId: 'walletAccountId',
    endpointId: 'endpoint',
  },
  settlementMethods: { assetCode: 'coin' },
  payouts: { status: 'state', cursor: 'after', take: 'limit' },
};
const CHANGED = {
  names: OTHER_NAMES,
  errorBody: 'nested',
  payoutsPath: '/v1/withdrawals',
  accountsShape: 'page',
  pageNames: { items: 'results', nextCursor: 'next_cursor' },
  countHeader: 'X-Total',
  links: true,
  fields: {
    transactions: {
      id: 'movementId',
      accountId: 'wallet_account_id',
      assetCode: 'asset',
      type: 'kind',
      amount: 'value',
      feeAmount: 'fee',
      createdAt: 'created_at',
      counterpartyAccountId: 'counterparty',
    },
    invoices: { merchantReference: 'orderReference' },
    payouts: { paymentIntentId: 'intent-id' },
  },
} as const;
const ORDERED = {
  query: {
    listPaymentIntents: OTHER_NAMES.paymentIntents,
    listInvoices: OTHER_NAMES.invoices,
    listAccounts: OTHER_NAMES.accounts,
    listTransactions: OTHER_NAMES.transactions,
    listAccountTransactions: OTHER_NAMES.accountTransactions,
    listWebhookDeliveries: OTHER_NAMES.deliveries,
    listSettlementPaymentMethods: OTHER_NAMES.settlementMethods,
    listPayouts: OTHER_NAMES.payouts,
  },
  paths: { listPayouts: '/v1/withdrawals' },
  pages: { items: '/results', nextCursor: '/next_cursor' },
  headers: { totalCount: 'X-Total' },
  error: { code: '/error/code', message: '/error/message' },
  links: { invoice: { merchantReference: '/orderReference' }, payout: { paymentIntentId: '/intent-id' } },
  transaction: {
    id: '/movementId',
    accountId: '/wallet_account_id',
    assetCode: '/asset',
    type: '/kind',
    amount: '/value',
    feeAmount: '/fee',
    createdAt: '/created_at',
    counterpartyAccountId: '/counterparty',
  },
};

const cwd = useFolder();
let sandbox: Sandbox;
const database = useDatabase();

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 3, payments: 40, confirmationSeconds: 0, kytSeconds: 0 });
  await furnish();
});
afterAll(async () => {
  await sandbox.close();
});
beforeEach(() => sandbox.control.setFaults({}));

/** An account with something of everything. */
async function furnish(): Promise<void> {
  const { control, url } = sandbox;
  // Nobody listens there: what matters is what the history says.
  for (const path of ['/webhooks', '/other']) control.addEndpoint({ url: `http://127.0.0.1:9${path}` });
  const accounts = ['Ann', 'Bob', 'Cid'].map((label) => control.createAccount({ label }));
  for (const account of accounts) {
    for (const amount of ['5', '6', '7']) control.deposit(account, 'USDT.TRC20', amount);
  }
  control.deposit(null, 'USDT.TRC20', '100');
  const client = new ServiceClient({ baseUrl: url, apiKey: 'sandbox-api-key' });
  const payout = { assetCode: 'USDT.TRC20', amount: '1', destinationAddress: 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE' };
  for (const account of accounts) await client.createPayout(account, payout);
  const invoice = { customerEmail: 'ann@example.com', customerName: 'Ann', amount: '10', currency: 'EUR' };
  await client.createInvoice({ ...invoice, merchantReference: 'ord-1' });
  for (const amount of ['11', '12']) {
    control.pay(control.createPayment({ amount, currency: 'USDT.TRC20' }), { assetCode: 'USDT.TRC20' });
  }
  const paid = control.createPayment({ amount: '13', currency: 'USDT.TRC20' });
  control.pay(paid, { assetCode: 'USDT.TRC20' });
  await client.createRefund({ paymentIntentId: paid, destinationAddress: payout.destinationAddress });
  await control.deliveriesIdle();
  // The second attempt of each.
  control.advance(10);
  await control.deliveriesIdle();
}

async function diagnose(faults: Partial<Faults>, env: Record<string, string> = {}) {
  sandbox.control.setFaults(faults);
  const { code, stdout, stderr } = await runHere(['doctor', '--json'], {
    cwd,
    env: {
      SERVICE_BASE_URL: sandbox.url,
      SERVICE_API_KEY: 'sandbox-api-key',
      WEBHOOK_SECRETS: 'test=whsec_test',
      DATABASE_URL: database.url,
      SERVICE_RATE: '1000/s',
      ...env,
    },
  });
  expect(stderr).toBe('');
  const diagnosis = JSON.parse(stdout) as Diagnosis;
  const ofContract = diagnosis.items.filter(({ name }) => /^(contract |event id|retries)/.test(name));
  const of = (status: Check['status']) =>
    ofContract.filter((check) => check.status === status).map(({ name, found }) => `${name}: ${found}`);
  return { code, ...diagnosis, findings: of('finding'), unknown: of('unknown'), ok: of('ok') };
}

describe('doctor', () => {
  it('finds nothing to say about a service that uses the default names', async () => {
    const { findings, unknown, ok, suggestedContract } = await diagnose({});
    expect(findings).toEqual([]);
    expect(unknown).toEqual([]);
    expect(ok.length).toBeGreaterThan(30);
    expect(suggestedContract).toBeNull();
  });

  // What a service that refuses names is found by: doctor-failing.test.ts.
  it.each(isAll ? (['ignore', 'refuse'] as const) : (['ignore'] as const))(
    'finds every name of a service that uses others, and %ss what it does not know; with the suggested file nothing',
    async (unknownParameters) => {
      const { code, findings, suggestedContract } = await diagnose({ ...CHANGED, unknownParameters });
      expect(code).toBe(3);
      expect(suggestedContract).toEqual(ORDERED);
      expect(findings).toHaveLength(43);
      const file = path.join(cwd, 'contract.json');
      await writeFile(file, JSON.stringify(suggestedContract));
      const again = await diagnose({ ...CHANGED, unknownParameters }, { CONTRACT_FILE: file });
      expect(again.findings).toEqual([]);
      expect(again.unknown).toEqual([]);
      expect(again.suggestedContract).toBeNull();
    },
  );

  it('says where there is no list of payouts, and no business account: both can be lived with; and which name nobody guesses', async () => {
    const names = { paymentIntents: { status: 'xq17' } };
    const { findings, ok, items, suggestedContract } = await diagnose({
      payoutsList: false,
      businessAccount: false,
      names,
    });
    expect(findings).toEqual([
      expect.stringContaining(
        'contract listPaymentIntents.status: the service ignores "status", and every other name that was tried',
      ),
    ]);
    expect(suggestedContract).toBeNull();
    expect(ok.join('\n')).toContain('contract paths.listPayouts: the service has none (404)');
    expect(items).toContainEqual(expect.objectContaining({ name: 'account', status: 'unknown' }));
  });

  it('finds words that no list of the contract has, an endpoint that is off, and an id that is searched for in the wrong place', async () => {
    const file = path.join(cwd, 'words.json');
    const words = { deliveries: { pending: ['queued'] }, kyt: { passed: ['green'] } };
    await writeFile(file, JSON.stringify(words));
    const { data } = await new ServiceClient({
      baseUrl: sandbox.url,
      apiKey: 'sandbox-api-key',
    }).listWebhookEndpoints();
    const endpoint = data.find(({ url }) => url?.endsWith('/webhooks'));
    sandbox.control.setEndpointActive(endpoint?.id ?? '', false);
    const env = { CONTRACT_FILE: file, EVENT_ID_POINTER: '/meta/uuid' };
    const { code, items, findings, suggestedContract, suggestedEventIdPointer } = await diagnose({}, env);
    sandbox.control.setEndpointActive(endpoint?.id ?? '', true);
    expect(code).toBe(3);
    expect(findings.toSorted()).toEqual([
      'contract deliveries.pending: deliveries that wait for another attempt are called "pending"',
      'contract kyt: "approved": on no list, so that goods wait (kyt_unknown)',
      'event id: nothing stands at /meta/uuid',
    ]);
    expect(items).toContainEqual(expect.objectContaining({ name: 'endpoint', status: 'finding' }));
    expect(suggestedEventIdPointer).toBe('auto');
    // Which list a compliance result belongs on is not for a program to say.
    expect(suggestedContract).toEqual({ kyt: { passed: ['green'] } });
  });

  it('says of what the service holds nothing of yet that there is nothing to check', async () => {
    const empty = await startSandbox({ payments: 0, invoices: 0, payouts: 0, wallets: 0, movements: 0 });
    try {
      const { findings, unknown } = await diagnose({}, { SERVICE_BASE_URL: empty.url });
      expect(findings).toEqual([]);
      const notKnown = unknown.filter((line) => line.includes('not probed: nothing to probe yet'));
      expect(notKnown.map((line) => /^contract (\S+):/.exec(line)?.[1])).toEqual([
        ...Object.keys(ORDERED.transaction).map((field) => `transaction.${field}`),
        'links.invoice.merchantReference',
        'links.payout.paymentIntentId',
        'deliveries.pending',
        'kyt',
        'events.generated',
      ]);
    } finally {
      await empty.close();
    }
  });
});
