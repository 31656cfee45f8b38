import type { Knex } from 'knex';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.js';

export type Fields = Record<string, unknown>;

/** Everything that the service has, as its own API shows it (its path `/sandbox/truth`). */
export type Truth = Record<
  | 'paymentIntents'
  | 'payins'
  | 'invoices'
  | 'payouts'
  | 'accounts'
  | 'transactions'
  | 'balances'
  | 'webhookEndpoints'
  | 'settlementAccounts'
  | 'products'
  | 'publicAssets'
  | 'transfers'
  | 'deposits'
  | 'deliveries',
  Fields[]
> & {
  /** When each payment last changed. */
  updatedAt: Record<string, string>;
};

export interface KindResult {
  kind: string;
  /** Records of the service. */
  records: number;
  /** As texts: which record, which field, ours and theirs. */
  differences: string[];
}

interface Table {
  list: Exclude<keyof Truth, 'updatedAt'>;
  table: string;
  id?: string;
  /** What no list of the service shows, or what is not read by intent; we need not hold it. */
  hidden?: (theirs: Fields, truth: Truth, adoptedAt: number) => boolean;
}

const tables: readonly Table[] = [
  { list: 'paymentIntents', table: 'payment_intents' },
  { list: 'payins', table: 'payins', hidden: isOfClosedHistory },
  { list: 'invoices', table: 'invoices' },
  { list: 'payouts', table: 'payouts' },
  { list: 'accounts', table: 'accounts', hidden: ({ isArchived }) => isArchived === true },
  { list: 'transactions', table: 'transactions' },
  { list: 'balances', table: 'balances', id: 'assetCode' },
  { list: 'webhookEndpoints', table: 'endpoints' },
  { list: 'settlementAccounts', table: 'settlement_accounts' },
  {
    list: 'products',
    table: 'products',
    hidden: ({ id }, { paymentIntents }) => paymentIntents.every(({ productId }) => productId !== id),
  },
  { list: 'publicAssets', table: 'assets', id: 'assetCode' },
];

/** A payin costs a call of its own: those of payments that were over before adoption decide nothing any more. */
function isOfClosedHistory({ paymentIntentId, createdAt }: Fields, truth: Truth, adoptedAt: number): boolean {
  // No list shows one that belongs to no payment: its event alone names it.
  if (paymentIntentId === null) return true;
  const intent = truth.paymentIntents.find(({ id }) => id === paymentIntentId);
  const isOpen = intent?.['status'] === 'unmatched' || intent?.['irregularStatus'] === 'pending_decision';
  const changedAt = Date.parse((typeof paymentIntentId === 'string' ? truth.updatedAt[paymentIntentId] : null) ?? '');
  return !isOpen && changedAt < adoptedAt && Date.parse(String(createdAt)) < adoptedAt;
}

export async function readTruth(sandbox: Sandbox): Promise<Truth> {
  const [truth, publicAssets] = await Promise.all(
    ['/sandbox/truth', '/v1/public/assets'].map(async (path) => (await fetch(`${sandbox.url}${path}`)).json()),
  );
  const { payins, deposits, ...rest } = truth as Truth;
  // A payin to an address of the merchant's own is a payin too (4.15).
  return { ...rest, deposits, payins: [...payins, ...deposits], publicAssets: publicAssets as Fields[] };
}

/** Every field of every record of the service against ours, that ours is verified, and that we hold none beside them. */
export async function compareWithTruth(db: Knex, truth: Truth): Promise<KindResult[]> {
  const installation = await db('installation').first('adopted_at');
  const adoptedAt = new Date(installation?.['adopted_at']).getTime();
  const results: KindResult[] = [];
  for (const table of tables) results.push(await compareTable(db, truth, { ...table, adoptedAt }));
  return results;
}

async function compareTable(db: Knex, truth: Truth, table: Table & { adoptedAt: number }): Promise<KindResult> {
  const idOf = (record: Fields) => String(record[table.id ?? 'id']);
  const rows: { id: string; shown: string; verified: boolean; absent_since: Date | null }[] = await db(
    table.table,
  ).select('id', 'shown', 'verified', 'absent_since');
  const ours = new Map(rows.map((row) => [row.id, row]));
  const held = new Set(rows.flatMap((row) => (isNamed(row) ? [] : [row.id])));
  const hidden = truth[table.list].filter(
    (record) => !held.has(idOf(record)) && table.hidden?.(record, truth, table.adoptedAt) === true,
  );
  const theirs = truth[table.list].filter((record) => !hidden.includes(record));
  const known = new Set(truth[table.list].map(idOf));
  const differences = theirs.flatMap((record) => {
    const row = ours.get(idOf(record));
    if (!row) return [`${idOf(record)}: missing`];
    if (row.absent_since !== null) return [`${idOf(record)}: we say that it is gone`];
    const fields = differingFields(JSON.parse(row.shown) as Fields, record);
    if (fields.length > 0) return [`${idOf(record)}: ${fields.join('; ')}`];
    return row.verified ? [] : [`${idOf(record)}: not verified`];
  });
  const strangers = rows.filter((row) => !isNamed(row) && !known.has(row.id) && row.absent_since === null);
  return {
    kind: table.table,
    records: theirs.length,
    differences: [...differences, ...strangers.map(({ id }) => `${id}: not at the service`)],
  };
}

/** What events alone name, as the payin that a payin's event may speak of, is no record of ours. */
function isNamed({ shown }: { shown: string }): boolean {
  return Object.keys(JSON.parse(shown) as Fields).every((name) => name === 'id' || name === 'accountId');
}

function differingFields(ours: Fields, theirs: Fields): string[] {
  return Object.keys(theirs)
    .filter((name) => sortedJson(ours[name]) !== sortedJson(theirs[name]))
    .map((name) => `${name} ours ${sortedJson(ours[name])}, theirs ${sortedJson(theirs[name])}`);
}

/** JSON text that does not depend on the order of names. */
function sortedJson(value: unknown): string {
  const text = JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return text ?? 'nothing';
}
