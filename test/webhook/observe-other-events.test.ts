import * as fc from 'fast-check';
import { parse, stringify } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { LinkPointers } from '../../src/domain/events/event-key.js';
import type { JsonObject } from '../../src/domain/json.js';
import { eventLabel } from '../../src/webhook/find-records.js';
import { observeEvent } from '../../src/webhook/observe-event.js';
import { sized } from '../support/sizes.js';

const at = { from: 1_700_000_000_000, to: 1_700_000_000_999, source: { type: 'webhook' as const, ref: '7' } };

function observe(type: string, data: unknown, links?: LinkPointers) {
  const json = parse(stringify(data) ?? '{}') as JsonObject;
  return observeEvent({ id: '7', type, timestamp: 1_700_000_000, source: 'webhook', data: json }, links);
}

const report = (kind: string, id: string, fields: object) => ({ ...at, kind, id, type: 'statement', fields });
const mention = (kind: string, id: string) => ({ ...at, kind, id, type: 'mention' });
const applied = (...observations: object[]) => ({ handled: true, problems: [], observations });

const invoice = { id: 'inv_1', status: 'paid', amount: '10', currency: 'EUR', paymentIntentId: 'pi_1' };
const payout = { id: 'po_1', status: 'failed', amount: '10', assetCode: 'BTC', failureReason: 'no funds' };

describe('an event of an invoice', () => {
  it.each([
    ['the record itself', invoice],
    ['wrapped', { invoice }],
    ['with its id under another name', { ...invoice, id: undefined, invoiceId: 'inv_1' }],
  ])('%s: its claim, and its payment is to be read', (_, data) => {
    expect(observe('invoice.paid', data)).toEqual(
      applied(report('invoice', 'inv_1', invoice), mention('payment_intent', 'pi_1')),
    );
  });

  it('a bare id: the state that the type names', () => {
    const expected = applied(report('invoice', 'inv_1', { id: 'inv_1', status: 'expired' }));
    expect(observe('invoice.expired', { id: 'inv_1' })).toEqual(expected);
    expect(observe('invoice.expired', { invoiceId: 'inv_1' })).toEqual(expected);
    expect(observe('invoice.created', { invoiceId: 'inv_1' })).toEqual(applied(mention('invoice', 'inv_1')));
  });

  it('its reference, where the contract says that it stands', () => {
    const links = { invoice: { merchantReference: '/metadata/order' } };
    const sent = { id: 'inv_1', status: 'sent', metadata: { order: 'o-1' } };
    expect(observe('invoice.sent', sent, links)).toEqual(
      applied(report('invoice', 'inv_1', { ...sent, merchantReference: 'o-1' })),
    );
  });
});

describe('an event of a payout', () => {
  it.each([
    ['the record itself', payout],
    ['wrapped', { payout }],
    ['wrapped as a refund', { refund: payout }],
  ])('%s', (_, data) => {
    expect(observe('payout.failed', data)).toEqual(applied(report('payout', 'po_1', payout)));
  });

  it('its payment beside it is to be read, too', () => {
    expect(observe('payout.confirmed', { payoutId: 'po_1', paymentIntentId: 'pi_1' })).toEqual(
      applied(
        report('payout', 'po_1', { id: 'po_1', paymentIntentId: 'pi_1', status: 'confirmed' }),
        mention('payment_intent', 'pi_1'),
      ),
    );
  });

  it('an amount as a number is handed on: saving refuses it', () => {
    const { problems, observations } = observe('payout.confirmed', { id: 'po_1', amount: 10 });
    expect(problems).toMatchObject([{ path: '/amount', entity: null }]);
    expect(observations).toMatchObject([{ type: 'statement', kind: 'payout' }]);
  });
});

describe('an event of a payment', () => {
  it('with its invoice and its refund: each claimed, the refund linked to it', () => {
    const intent = { id: 'pi_1', status: 'completed', invoiceId: 'inv_1' };
    expect(observe('payment_intent.completed', { paymentIntent: intent, invoice, payout })).toEqual(
      applied(
        report('payment_intent', 'pi_1', intent),
        report('invoice', 'inv_1', invoice),
        report('payout', 'po_1', { ...payout, paymentIntentId: 'pi_1' }),
      ),
    );
  });

  it('that only names its invoice asks for nothing: saving it knows whether the invoice lags behind', () => {
    const intent = { id: 'pi_1', status: 'completed', invoiceId: 'inv_1' };
    expect(observe('payment_intent.completed', intent)).toEqual(applied(report('payment_intent', 'pi_1', intent)));
  });
});

describe('an event of a sub-wallet', () => {
  it('its own: a claim, like any record’s', () => {
    const account = { id: 'acc_1', label: 'Ada', status: 'frozen' };
    expect(observe('wallet_account.frozen', account)).toEqual(applied(report('account', 'acc_1', account)));
    expect(observe('wallet_account.closed', { accountId: 'acc_1' })).toEqual(
      applied(report('account', 'acc_1', { id: 'acc_1', status: 'closed' })),
    );
    expect(observe('wallet_account.updated', { walletAccount: { id: 'acc_1' } })).toEqual(
      applied(mention('account', 'acc_1')),
    );
  });

  it.each([
    ['flat', { id: 'dep_1', status: 'completed', accountId: 'acc_1', amount: '1' }],
    ['wrapped', { deposit: { id: 'dep_1', walletAccountId: 'acc_1', amount: '1' } }],
    ['with the sub-wallet beside it', { deposit: { id: 'dep_1' }, wallet_account: { id: 'acc_1', label: 'Ada' } }],
    ['with a number for its amount', { accountId: 'acc_1', amount: 1 }],
  ])('a deposit, %s: its payin is to be read, and is that sub-wallet’s; nothing else is claimed', (_, data) => {
    const { observations } = observe('wallet_account.deposit.completed', data);
    const payin = report('payin', 'dep_1', { id: 'dep_1', accountId: 'acc_1' });
    expect(observations).toEqual(
      'deposit' in data || 'id' in data ? [payin, mention('account', 'acc_1')] : [mention('account', 'acc_1')],
    );
  });

  it('a deposit that names two sub-wallets: neither is taken for its own; one that names none: its payin alone', () => {
    const two = { depositId: 'dep_1', accountId: 'acc_1', sourceAccountId: 'acc_2' };
    expect(observe('wallet_account.deposit.completed', two).observations[0]).toEqual(mention('payin', 'dep_1'));
    expect(observe('wallet_account.deposit.completed', { depositId: 'dep_1' })).toEqual(
      applied(mention('payin', 'dep_1')),
    );
  });

  it('a transfer: both sides are to be read, each once', () => {
    const transfer = { id: 'tr_1', fromAccountId: 'acc_1', toWalletAccountId: 'acc_2', account: 'acc_1' };
    expect(observe('wallet_account.transfer.completed', { transfer, settlementAccountId: 'sa_1' })).toEqual(
      applied(mention('account', 'acc_1'), mention('account', 'acc_2')),
    );
  });

  it('what the merchant wrote into its metadata names no sub-wallet', () => {
    const data = {
      depositId: 'dep_1',
      accountId: 'acc_1',
      metadata: { bank_account: 'DE89', customerAccount: 'a@b.c' },
    };
    expect(observe('wallet_account.deposit.completed', data)).toEqual(
      applied(report('payin', 'dep_1', { id: 'dep_1', accountId: 'acc_1' }), mention('account', 'acc_1')),
    );
  });

  it('a transaction that the data calls one is claimed', () => {
    const transaction = { id: 'tx_1', accountId: 'acc_1', type: 'transfer_out', amount: '-1.5' };
    expect(observe('wallet_account.transfer.completed', { transaction })).toEqual(
      applied(report('transaction', 'tx_1', transaction), mention('account', 'acc_1')),
    );
    expect(observe('wallet_account.transfer.completed', { transactionId: 'tx_1' })).toEqual(
      applied(mention('transaction', 'tx_1')),
    );
  });

  it('a transfer that names no sub-wallet: the feed shows it', () => {
    expect(observe('wallet_account.transfer.completed', { transferId: 'tr_1' })).toEqual(applied());
  });
});

it('never fails, whatever the data', () => {
  const type = fc.constantFrom(
    'invoice.paid',
    'payout.failed',
    'wallet_account.closed',
    'wallet_account.deposit.completed',
    'wallet_account.transfer.completed',
  );
  const name = fc.constantFrom(
    'id',
    'invoice',
    'payoutId',
    'accountId',
    'transaction',
    'data',
    'status',
    'amount',
    '__proto__',
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('x', '', null, true, 1),
      fc.array(tie('any'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(name, tie('any'), { maxKeys: 5 }),
  })).object;
  fc.assert(
    fc.property(type, value, (type, data) => {
      const { observations, handled } = observe(type, data);
      expect(handled).toBe(true);
      for (const { id } of observations) expect(id).not.toBe('');
    }),
    { numRuns: sized(200, 2_000) },
  );
});

it('metrics know the types by name', () => {
  expect(['invoice.paid', 'wallet_account.transfer.completed', 'wallet_account.closed'].map(eventLabel)).not.toContain(
    'other',
  );
  expect(eventLabel('account.closed')).toBe('other');
});
