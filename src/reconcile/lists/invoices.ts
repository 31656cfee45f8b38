import type { Outcome, RunContext } from '../deps.js';
import type { ListPlan } from './list-row.js';
import { readList } from './reconcile-list.js';

/** Specification 4.3. One that was sent may stay so for as long as its customer takes, where it has no deadline. */
export const invoiceList: ListPlan = {
  kind: 'invoices',
  record: 'invoice',
  operation: 'listInvoices',
  activeStates: [],
  waitingStates: ['draft', 'sent'],
};

export const reconcileInvoices = (run: RunContext): Promise<Outcome> => readList(run, invoiceList);
