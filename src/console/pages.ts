import type { Page } from './page.js';
import { alerts } from './pages/alerts.js';
import { audit } from './pages/audit.js';
import { balance } from './pages/balance.js';
import { balances } from './pages/balances.js';
import { breakPage } from './pages/break-page.js';
import { breaks } from './pages/breaks.js';
import { callbacks } from './pages/callbacks.js';
import { deliveries } from './pages/deliveries.js';
import { delivery } from './pages/delivery.js';
import { doctor } from './pages/doctor.js';
import { event } from './pages/event.js';
import { events } from './pages/events.js';
import { ledger } from './pages/ledger.js';
import { ledgerEntry } from './pages/ledger-entry.js';
import { match } from './pages/match.js';
import { order } from './pages/order.js';
import { orders } from './pages/orders.js';
import { overview } from './pages/overview.js';
import { period } from './pages/period.js';
import { periods } from './pages/periods.js';
import { queues } from './pages/queues.js';
import { reference } from './pages/reference.js';
import { referenceOperation } from './pages/reference-operation.js';
import { rejections } from './pages/rejections.js';
import { run } from './pages/run.js';
import { runs } from './pages/runs.js';
import { secrets } from './pages/secrets.js';
import { listPage } from './records/list-page.js';
import { recordPage } from './records/record-page.js';
import { sheets } from './records/sheet.js';

/** Every page, in the order of the navigation: routes, navigation and the tests that visit them all come from here. */
export const pages: readonly Page[] = [
  overview,
  orders,
  order,
  balances,
  balance,
  match,
  ledger,
  ledgerEntry,
  periods,
  period,
  // A list and a page of one record for each kind.
  ...sheets.flatMap((sheet) => [listPage(sheet), recordPage(sheet)]),
  events,
  event,
  deliveries,
  delivery,
  rejections,
  secrets,
  breaks,
  breakPage,
  runs,
  run,
  alerts,
  doctor,
  callbacks,
  queues,
  audit,
  reference,
  referenceOperation,
];
