import type { Page } from '../page.js';
import { listPage } from '../records/list-page.js';
import { recordPage } from '../records/record-page.js';
import { sheets } from '../records/sheet.js';
import { alertPage, alerts } from './alerts.js';
import { audit } from './audit.js';
import { balance, balances } from './balances.js';
import { breakPage, breaks } from './breaks.js';
import { callbacks } from './callbacks.js';
import { decisionPage, decisions } from './decisions.js';
import { deliveries, delivery } from './deliveries.js';
import { doctor } from './doctor.js';
import { event, events } from './events.js';
import { findPage } from './find.js';
import { ledger, ledgerEntry } from './ledger.js';
import { match } from './match.js';
import { order, orders } from './orders.js';
import { overview } from './overview.js';
import { period, periods } from './periods.js';
import { queues } from './queues.js';
import { reference, referenceOperation } from './reference.js';
import { rejections } from './rejections.js';
import { run, runs } from './runs.js';
import { scorecard } from './scorecard.js';
import { secrets } from './secrets.js';
import { settlement, settlements } from './settlements.js';

/** Every page, in the order of the navigation: routes, navigation and the tests that visit them all come from here. */
export const pages: readonly Page[] = [
  overview,
  findPage,
  orders,
  order,
  balances,
  balance,
  match,
  ledger,
  ledgerEntry,
  periods,
  period,
  decisions,
  decisionPage,
  settlements,
  settlement,
  ...sheets.flatMap((sheet) => [listPage(sheet), recordPage(sheet)]),
  events,
  event,
  deliveries,
  delivery,
  rejections,
  secrets,
  scorecard,
  breaks,
  breakPage,
  runs,
  run,
  alerts,
  alertPage,
  doctor,
  callbacks,
  queues,
  audit,
  reference,
  referenceOperation,
];
