import { alertOperations } from './alert-operations.js';
import { decisionOperations, matchOperations, periodOperations, settlementOperations } from './books-operations.js';
import { breakOperations, causeOperations } from './break-operations.js';
import { callbackOperations } from './callback-operations.js';
import { feedOperations } from './feed-operations.js';
import { listOperations } from './list-operations.js';
import { findOperation, listOrdersOperation } from './list-orders.js';
import type { Operation } from './operation.js';
import {
  getOrderAsOfOperation,
  getOrderOperation,
  registerOrderOperation,
  withdrawRegistrationOperation,
} from './order-operations.js';
import { proofOperations } from './proof-operations.js';
import { refundOperations } from './refund-operations.js';
import { scorecardOperation, webhookOperations } from './webhook-operations.js';

/** All that the read API can do: its routes, its document and its reference page come from here. */
export const operations: readonly Operation[] = [
  ...causeOperations,
  ...listOperations,
  findOperation,
  listOrdersOperation,
  getOrderOperation,
  getOrderAsOfOperation,
  registerOrderOperation,
  withdrawRegistrationOperation,
  ...refundOperations,
  ...feedOperations,
  ...webhookOperations,
  scorecardOperation,
  ...proofOperations,
  ...breakOperations,
  ...periodOperations,
  ...decisionOperations,
  ...matchOperations,
  ...settlementOperations,
  ...callbackOperations,
  ...alertOperations,
];
