import type { Json, JsonObject } from '../domain/json.js';
import { isJsonObject } from '../domain/json.js';
import { compareAmounts, isAmount } from '../domain/money.js';
import { textField } from '../domain/records.js';
import type { Reply } from './attempt.js';

/** Clocks may differ by more than is measured. */
const MARGIN_MS = 5_000;
const TAKE = 100;
const MOST_PAGES = 50;

/** What a lost call asked for; `sentAt`: ms of the service's clock, at the earliest. */
export interface LostInvoice {
  asked: JsonObject;
  sentAt: number;
}

/** `isWhole`: the list was read back to before the call, so that an invoice it made would have been seen. */
interface Seen {
  candidates: JsonObject[];
  isWhole: boolean;
  reply: Reply<Json>;
}

type ReadInvoices = (query: { take: number; cursor?: string }) => Promise<Reply<Json>>;

/** Reads the newest invoices, back to before the call, and picks those that it may have made. */
export async function seekInvoice(read: ReadInvoices, lost: LostInvoice): Promise<Seen> {
  const candidates = new Map<string, JsonObject>();
  let query: Parameters<ReadInvoices>[0] = { take: TAKE };
  for (let page = 1; ; page++) {
    const reply = await read(query);
    const list = (reply.data as Json[]).filter(isJsonObject);
    for (const invoice of matchingInvoices(list, lost)) candidates.set(textField(invoice, 'id') ?? '', invoice);
    const last = list.at(-1);
    const isWhole = last === undefined || createdAt(last) < lost.sentAt - MARGIN_MS;
    const cursor = last === undefined ? null : textField(last, 'id');
    if (isWhole || page === MOST_PAGES || !cursor || cursor === query.cursor) {
      return { candidates: [...candidates.values()], isWhole, reply };
    }
    query = { take: TAKE, cursor };
  }
}

/** Its time shows that the invoice is no older than the call. */
export function isDated(invoice: JsonObject): boolean {
  return !Number.isNaN(createdAt(invoice));
}

/**
 * The invoices of a list that a creating call may have made: those for the same customer and amount that are no older than
 * the call. What the list does not show of an invoice counts as equal.
 */
function matchingInvoices(list: readonly JsonObject[], { asked, sentAt }: LostInvoice): JsonObject[] {
  return list.filter(
    (invoice) =>
      sameAmount(invoice['amount'], asked['amount']) &&
      !(createdAt(invoice) < sentAt - MARGIN_MS) &&
      sameReference(invoice['merchantReference'], asked['merchantReference']) &&
      loosely.every((field) => agrees(invoice[field], asked[field])),
  );
}

/** A service may tidy these up, or fill in what was left out. */
const loosely = ['customerEmail', 'customerName', 'currency', 'assetCode', 'description'];

/** NaN where it does not say. */
function createdAt(invoice: JsonObject): number {
  return Date.parse(textField(invoice, 'createdAt') ?? '');
}

function agrees(shown: Json | undefined, asked: Json | undefined): boolean {
  if (shown === undefined || shown === null || typeof asked !== 'string') return true;
  return typeof shown === 'string' && shown.trim().toLowerCase() === asked.trim().toLowerCase();
}

/** Echoed unchanged, as every reference is (specification 4.1, 6.2): one that was not given is another's. */
function sameReference(shown: Json | undefined, asked: Json | undefined): boolean {
  return shown === undefined || shown === null || shown === asked;
}

function sameAmount(shown: Json | undefined, asked: Json | undefined): boolean {
  return isAmount(shown) && isAmount(asked) && compareAmounts(shown, asked) === 0;
}
