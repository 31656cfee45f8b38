import { Router } from 'express';
import { churnWallets } from '../../churn.js';
import { archiveWallet, closeWallet } from '../../wallets/close-wallet.js';
import { createTransfer, transferSchema } from '../../wallets/create-transfer.js';
import { findWallet } from '../../wallets/find-wallet.js';
import { updateWallet, walletUpdateSchema } from '../../wallets/save-wallet.js';
import { transferRecord } from '../../wallets/transfer.js';
import { WALLET_STATUSES } from '../../wallets/wallet.js';
import { walletMatches, walletRecord } from '../../wallets/wallet-record.js';
import type { V1Deps } from '../authenticate.js';
import { createOnce } from '../create-once.js';
import { parseBody } from '../parse-body.js';
import { createPageChurn, readChoice, readPage, readQuery } from '../read-page.js';

/** Specification 4.6 to 4.10. */
export function walletRoutes({ service, authenticate }: V1Deps): Router {
  const router = Router();

  addList(router, { service, authenticate });

  router.patch('/accounts/:id', (request, response) => {
    const { merchant } = authenticate(request).account;
    const wallet = findWallet(merchant, request.params.id);
    const updated = updateWallet(merchant, wallet, parseBody(request, walletUpdateSchema));
    response.json(walletRecord(merchant, updated));
  });

  router.post('/accounts/:id/close', (request, response) => {
    const { merchant } = authenticate(request).account;
    const wallet = closeWallet(merchant, findWallet(merchant, request.params.id));
    response.json(walletRecord(merchant, wallet));
  });

  router.post('/accounts/:id/archive', (request, response) => {
    const { merchant } = authenticate(request).account;
    const wallet = archiveWallet(merchant, findWallet(merchant, request.params.id));
    response.json(walletRecord(merchant, wallet));
  });

  router.post('/accounts/:id/transfers', (request, response) => {
    const caller = authenticate(request);
    const { merchant } = caller.account;
    const wallet = findWallet(merchant, request.params.id);
    const { record, replayed } = createOnce(caller, request, {
      operation: 'transfer',
      schema: transferSchema,
      debits: true,
      find: (id) => merchant.transfers.get(id),
      make: (body) => createTransfer(merchant, wallet, body),
    });
    response.status(replayed ? 200 : 201).json(transferRecord(record));
  });

  return router;
}

function addList(router: Router, { service, authenticate }: V1Deps): void {
  const churn = createPageChurn(service, 'accounts');
  router.get('/accounts', (request, response) => {
    const { merchant } = authenticate(request).account;
    const { faults } = service;
    const query = readQuery(request, ['status', 'search', 'cursor', 'take'], { faults, list: 'accounts' });
    const status = readChoice(query, 'status', WALLET_STATUSES);
    const search = query.text('search');
    churn(merchant, query.text('cursor'), (n, cursor) => churnWallets(merchant, cursor, n));
    const rows = readPage(merchant.wallets, {
      query,
      faults,
      matches: (wallet) =>
        !wallet.isArchived &&
        (status === undefined || wallet.status === status) &&
        (search === undefined || walletMatches(wallet, search)),
    });
    const items = rows.map((wallet) => walletRecord(merchant, wallet));
    const isLast = rows.length < query.take(20);
    response.json(
      faults.accountsShape === 'array' ? items : { items, nextCursor: isLast ? null : (rows.at(-1)?.id ?? null) },
    );
  });
}
