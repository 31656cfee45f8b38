import type { Page } from './page.js';
import { balance } from './pages/balance.js';
import { balances } from './pages/balances.js';
import { event } from './pages/event.js';
import { events } from './pages/events.js';
import { order } from './pages/order.js';
import { orders } from './pages/orders.js';
import { overview } from './pages/overview.js';
import { recordPages } from './records/record-pages.js';

/** Every page, in the order of the navigation: routes, navigation and the tests that walk them all come from here. */
export const pages: readonly Page[] = [overview, orders, order, balances, balance, events, event, ...recordPages];
