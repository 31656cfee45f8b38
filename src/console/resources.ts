import type { Knex } from 'knex';
import type { JsonObject } from '../domain/json.js';
import { MASK, maskPersonal } from '../domain/personal.js';
import type { RecordKind } from '../domain/records.js';
import { getAction, listActions } from '../records/actions/list-actions.js';
import { listAlerts } from '../records/alerts/list-alerts.js';
import { getBalance, listBalances } from '../records/balances/balance-views.js';
import { getEntry, listEntries } from '../records/books/list-entries.js';
import { getPeriod, listPeriods } from '../records/books/periods.js';
import { getBreak, listBreaks } from '../records/breaks/list-breaks.js';
import { getCallback, listCallbacks } from '../records/callbacks/list-callbacks.js';
import type { Page } from '../records/database/paging.js';
import { getDelivery, listDeliveries } from '../records/deliveries/list-deliveries.js';
import { getEvent, listEvents } from '../records/inbox/events.js';
import { listRejections } from '../records/inbox/rejections.js';
import { getOrder, listOrders } from '../records/orders/orders.js';
import { getRecord, listRecords, recordFilters } from '../records/rows.js';
import { getRun, listRuns } from '../records/runs/runs.js';
import type { ListQuery } from './list-query.js';
import { isPersonalField, maskedBody } from './view/personal.js';

/** A collection of the read API: `GET /path` and, where it has one, `GET /path/{id}`. */
export interface Resource {
  path: string;
  /** Query parameters that narrow the list, by the fields' own names. */
  filters: readonly string[];
  list(db: Knex, query: ListQuery): Promise<Page<object>>;
  get?(db: Knex, id: string): Promise<object | null>;
  /** An item without what tells of a person. Left out: nothing in it does. */
  masked?: (item: object) => object;
  /** Filters that would tell whether a person is among the records. */
  personalFilters?: readonly string[];
}

export const resources: readonly Resource[] = [
  records('payment-intents', 'payment_intent'),
  records('payins', 'payin'),
  records('invoices', 'invoice'),
  records('payouts', 'payout'),
  records('accounts', 'account'),
  records('transactions', 'transaction'),
  {
    path: 'balances',
    filters: recordFilters('balance'),
    list: (db, query) => listBalances(db, query),
    get: (db, id) => getBalance(db, id),
  },
  records('endpoints', 'endpoint'),
  records('settlement-accounts', 'settlement_account'),
  records('products', 'product'),
  records('assets', 'asset'),
  {
    path: 'orders',
    filters: ['status'],
    list: (db, query) => listOrders(db, { ...query, ...query.filters }),
    get: getOrder,
  },
  {
    path: 'events',
    filters: ['status', 'eventType', 'source', 'secretLabel'],
    list: (db, query) => listEvents(db, { ...query, ...query.filters }),
    get: getEvent,
    masked: (item) => ('body' in item ? { ...item, body: maskedBody(item.body) } : item),
  },
  {
    path: 'deliveries',
    filters: ['class', 'endpointId', 'eventType', 'status', 'missed'],
    list: (db, query) => listDeliveries(db, { ...query, ...query.filters }),
    get: getDelivery,
  },
  {
    path: 'rejections',
    filters: ['reason'],
    list: (db, query) => listRejections(db, { ...query, ...query.filters }),
    masked: (item) => ({ ...item, firstBytes: MASK }),
  },
  {
    path: 'breaks',
    filters: ['status', 'kind', 'severity', 'entityKind', 'entityId'],
    list: (db, query) => listBreaks(db, { ...query, ...query.filters }),
    get: (db, id) => getBreak(db, id),
  },
  {
    path: 'runs',
    filters: ['kind', 'status'],
    list: (db, query) => listRuns(db, { ...query, ...query.filters }),
    get: getRun,
  },
  {
    path: 'entries',
    filters: ['account', 'assetCode', 'month', 'recordKind', 'recordId'],
    list: (db, query) => listEntries(db, { ...query, ...query.filters }),
    get: getEntry,
  },
  {
    path: 'periods',
    filters: ['status'],
    list: (db, query) => listPeriods(db, { ...query, ...query.filters }),
    get: getPeriod,
  },
  {
    path: 'callbacks',
    filters: ['status', 'reference'],
    list: (db, query) => listCallbacks(db, { ...query, ...query.filters }),
    get: getCallback,
  },
  {
    path: 'alerts',
    filters: ['status', 'name', 'severity'],
    list: (db, query) => listAlerts(db, { ...query, ...query.filters }),
  },
  {
    path: 'actions',
    filters: ['actor', 'action', 'target', 'outcome'],
    list: (db, query) => listActions(db, { ...query, ...query.filters }),
    get: getAction,
  },
];

function records(path: string, kind: RecordKind): Resource {
  return {
    path,
    filters: recordFilters(kind),
    list: (db, query) => listRecords(db, kind, query),
    get: (db, id) => getRecord(db, kind, id),
    masked: (item) => maskPersonal(kind, item as JsonObject),
    personalFilters: recordFilters(kind).filter((field) => isPersonalField(kind, field)),
  };
}
