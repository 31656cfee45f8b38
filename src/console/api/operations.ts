import { alertOperations } from './alert-operations.js';
import { breakOperations, causeOperations } from './break-operations.js';
import { callbackOperations } from './callback-operations.js';
import { decisionOperations } from './decision-operations.js';
import { feedOperations } from './feed-operations.js';
import { findOperation } from './find-operation.js';
import { listOperations } from './list-operations.js';
import { listOrdersOperation } from './list-orders.js';
import { matchOperations } from './match-operations.js';
import type { Operation } from './operation.js';
import {
  getOrderAsOfOperation,
  getOrderOperation,
  registerOrderOperation,
  withdrawRegistrationOperation,
} from './order-operations.js';
import { periodOperations } from './period-operations.js';
import { proofOperations } from './proof-operations.js';
import { refundOperations } from './refund-operations.js';
import { scorecardOperation } from './scorecard-operation.js';
import { settlementOperations } from './settlement-operations.js';
import { webhookOperations } from './webhook-operations.js';

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
