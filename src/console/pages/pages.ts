import type { Page } from '../page.js';
import { listPage } from '../records/list-page.js';
import { recordPage } from '../records/record-page.js';
import { sheets } from '../records/sheet.js';
import { alerts } from './alerts.js';
import { audit } from './audit.js';
import { balance } from './balance.js';
import { balances } from './balances.js';
import { breakPage } from './break-page.js';
import { breaks } from './breaks.js';
import { callbacks } from './callbacks.js';
import { deliveries } from './deliveries.js';
import { delivery } from './delivery.js';
import { doctor } from './doctor.js';
import { event } from './event.js';
import { events } from './events.js';
import { ledger } from './ledger.js';
import { ledgerEntry } from './ledger-entry.js';
import { match } from './match.js';
import { order } from './order.js';
import { orders } from './orders.js';
import { overview } from './overview.js';
import { period } from './period.js';
import { periods } from './periods.js';
import { queues } from './queues.js';
import { reference } from './reference.js';
import { referenceOperation } from './reference-operation.js';
import { rejections } from './rejections.js';
import { run } from './run.js';
import { runs } from './runs.js';
import { secrets } from './secrets.js';

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
