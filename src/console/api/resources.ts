import type { Knex } from 'knex';
import type { z } from 'zod';
import { conditions } from '../../domain/alerts/alerts.js';
import type { JsonObject } from '../../domain/json.js';
import { kinds, tableOf } from '../../domain/kinds/kinds.js';
import { hidePeople, isHidden } from '../../domain/personal.js';
import { type RecordKind, recordKinds } from '../../domain/records.js';
import { balanceDetailShape, balanceShape } from '../../domain/views/balance-shapes.js';
import { entryShape, periodShape } from '../../domain/views/books-shapes.js';
import {
  actionShape,
  alertShape,
  callbackShape,
  decisionDetailShape,
  decisionShape,
} from '../../domain/views/operation-shapes.js';
import { entity } from '../../domain/views/parts.js';
import { breakDetailShape, breakShape, runShape } from '../../domain/views/proof-shapes.js';
import { recordShape } from '../../domain/views/record-shape.js';
import {
  type DeliveryDetail,
  deliveryDetailShape,
  deliveryShape,
  type EventView,
  eventDetailShape,
  eventShape,
  type RejectionView,
  rejectionShape,
} from '../../domain/views/webhook-shapes.js';
import { getDecision, listDecisions } from '../../records/actions/decisions.js';
import { getAction, listActions } from '../../records/actions/list-actions.js';
import { getAlert } from '../../records/alerts/decide-alert.js';
import { getRejection, listRejections } from '../../records/alerts/list-rejections.js';
import { listAlerts } from '../../records/alerts/settle-alerts.js';
import { getBalance, listBalances } from '../../records/balances/balance-views.js';
import { getEntry, listEntries } from '../../records/books/list-entries.js';
import { getPeriod, listPeriods } from '../../records/books/periods.js';
import { ANY, getBreak, listBreaks } from '../../records/breaks/list-breaks.js';
import { getCallback, listCallbacks } from '../../records/callbacks/list-callbacks.js';
import type { Page } from '../../records/database/paging.js';
import { deliveryFilters, getDelivery, listDeliveries } from '../../records/deliveries/list-deliveries.js';
import { listEndpoints } from '../../records/deliveries/listed-endpoints.js';
import { getEvent, listEvents } from '../../records/inbox/events.js';
import { getRecord, listFilters, listRecords, recordFilters } from '../../records/rows.js';
import { getRun, listRuns } from '../../records/runs/runs.js';
import { maskedDelivery, maskedEvent, maskedRejection, withoutSecrets } from '../view/personal.js';
import type { Filters, ListQuery } from './list-query.js';
import type { Group } from './operation.js';

/** A collection of the read API: `GET /path` and, where it has one, `GET /path/{id}`. */
export interface Resource {
  path: string;
  group: Group;
  /** Of one, and of many. */
  names: readonly [string, string];
  /** An item of the list. */
  shape: z.ZodType;
  /** Of one alone; left out: the same. */
  detail?: z.ZodType;
  /** Name, meaning and an example of what stands in the address of one; left out: its id. */
  key?: readonly [name: string, description: string, example: string];
  /** Query parameters that narrow the list, by the fields' own names. */
  filters: readonly string[];
  /** What those of them take that are a closed list of ours, where the shape of an item does not say it. */
  words?: Filters;
  list(db: Knex, query: ListQuery): Promise<Page<object>>;
  get?(db: Knex, id: string): Promise<object | null>;
  /** An item without what is not for viewers: what identifies a person, or of secrets. Left out: nothing in it does. */
  masked?: (item: object) => object;
  /** Filters that would show whether a person is among the records. */
  personalFilters?: readonly string[];
}

const special: Partial<Record<RecordKind, Partial<Resource>>> = {
  balance: {
    shape: balanceShape,
    detail: balanceDetailShape,
    key: ['assetCode', 'The asset.', 'USDT.TRON'],
    list: (db, query) => listBalances(db, query),
    get: (db, id) => getBalance(db, id),
  },
  endpoint: { filters: [...listFilters('endpoint'), 'isActive'], list: (db, query) => listEndpoints(db, query) },
};

export const resources: readonly Resource[] = [
  ...recordKinds.map(records),
  {
    path: 'events',
    group: 'Webhooks',
    names: ['event', 'events'],
    shape: eventShape,
    detail: eventDetailShape,
    filters: ['status', 'eventType', 'source', 'key', 'secretLabel', 'paymentIntentId', 'reference'],
    list: (db, query) => listEvents(db, { ...query, ...query.filters, onlyById: !query.knowsPeople }),
    get: getEvent,
    masked: (item) => maskedEvent(item as EventView),
  },
  {
    path: 'deliveries',
    group: 'Webhooks',
    names: ['delivery', 'deliveries of the service'],
    shape: deliveryShape,
    detail: deliveryDetailShape,
    filters: deliveryFilters,
    list: (db, query) => listDeliveries(db, { ...query, ...query.filters }),
    get: getDelivery,
    masked: (item) => ('payload' in item ? { ...item, ...maskedDelivery(item as DeliveryDetail) } : item),
  },
  {
    path: 'rejections',
    group: 'Webhooks',
    names: ['rejected request', 'rejected requests'],
    shape: rejectionShape,
    filters: ['reason'],
    list: (db, query) => listRejections(db, { ...query, ...query.filters }),
    get: getRejection,
    masked: (item) => maskedRejection(item as RejectionView),
  },
  {
    path: 'breaks',
    group: 'Proof',
    names: ['break', 'breaks'],
    shape: breakShape,
    detail: breakDetailShape,
    filters: ['status', 'kind', 'severity', 'owner', 'overdue', 'entityKind', 'entityId'],
    words: { entityKind: entity.shape.kind.options, status: [...breakShape.shape.status.options, ANY] },
    list: (db, query) => listBreaks(db, { ...query, ...query.filters }),
    get: (db, id) => getBreak(db, id),
  },
  {
    path: 'runs',
    group: 'Proof',
    names: ['run', 'runs'],
    shape: runShape,
    filters: ['kind', 'status', 'full', 'complete'],
    list: (db, query) => listRuns(db, { ...query, ...query.filters }),
    get: getRun,
  },
  {
    path: 'entries',
    group: 'Books',
    names: ['entry', 'entries'],
    shape: entryShape,
    filters: ['account', 'assetCode', 'month', 'recordKind', 'recordId'],
    list: (db, query) => listEntries(db, { ...query, ...query.filters }),
    get: getEntry,
  },
  {
    path: 'periods',
    group: 'Books',
    names: ['month', 'months'],
    shape: periodShape,
    key: ['month', 'The month.', '2026-10'],
    filters: ['status'],
    list: (db, query) => listPeriods(db, { ...query, ...query.filters }),
    get: getPeriod,
  },
  {
    path: 'decisions',
    group: 'Books',
    names: ['decision', 'decisions of two people'],
    shape: decisionShape,
    detail: decisionDetailShape,
    filters: ['state', 'action', 'askedBy', 'decidedBy'],
    list: (db, query) => listDecisions(db, { ...query, ...query.filters }),
    get: getDecision,
  },
  {
    path: 'callbacks',
    group: 'Operation',
    names: ['callback', 'callbacks to the store'],
    shape: callbackShape,
    filters: ['status', 'reference'],
    list: (db, query) => listCallbacks(db, { ...query, ...query.filters }),
    get: getCallback,
  },
  {
    path: 'alerts',
    group: 'Operation',
    names: ['alert', 'alerts'],
    shape: alertShape,
    filters: ['status', 'name', 'severity'],
    words: { name: conditions.map(({ name }) => name) },
    list: (db, query) => listAlerts(db, { ...query, ...query.filters }),
    get: (db, id) => getAlert(db, id),
  },
  {
    path: 'actions',
    group: 'Operation',
    names: ['action', 'actions: who did what'],
    shape: actionShape,
    filters: ['actor', 'action', 'target', 'outcome'],
    list: (db, query) => listActions(db, { ...query, ...query.filters }),
    get: getAction,
    masked: withoutSecretDetails,
  },
];

function withoutSecretDetails(item: object): object {
  return 'details' in item ? { ...item, details: withoutSecrets(Object(item.details)) } : item;
}

function records(kind: RecordKind): Resource {
  const { api } = kinds[kind];
  return {
    path: tableOf(kind).replaceAll('_', '-'),
    group: api.group,
    names: [api.one, api.many],
    shape: recordShape(kind),
    filters: listFilters(kind),
    list: (db, query) => listRecords(db, kind, query),
    get: (db, id) => getRecord(db, kind, id),
    masked: (item) => hidePeople(kind, item as JsonObject),
    personalFilters: recordFilters(kind).filter((field) => isHidden(kind, field)),
    ...special[kind],
  };
}
