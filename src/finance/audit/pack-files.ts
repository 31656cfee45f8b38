import type { Knex } from 'knex';
import { z } from 'zod';
import { firstDayAfter } from '../../domain/books/posting-month.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import { type JsonObject, toJsonText } from '../../domain/json.js';
import { parseJson } from '../../domain/json-table/read-table.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { getSeal } from '../../records/audit/list-seals.js';
import { breaksUntil } from '../../records/audit/pack-facts.js';
import { periodFiles, readPeriodFile } from '../../records/books/period-files.js';
import { exact, type Trx } from '../../records/database/statements.js';
import { secretFingerprints } from '../../records/deliveries/secrets.js';
import { exportFormats } from '../export-formats.js';
import type { MonthBooks } from '../exports/month-tables.js';
import { openStanding } from '../exports/standing.js';
import type { ZippedFile } from '../exports/zip-files.js';
import { manifestOf, rowLines, sealLines } from './export-audit.js';
import { inParts } from './pack-zip.js';

/** `timeZone`: of a closed month that of its closing, where it was kept. */
export interface PackAsked extends Omit<MonthBooks, 'trx' | 'standing'> {
  out: string;
}

export interface PackScope extends PackAsked {
  /** Null: the month is open, and the pack is what stands now. */
  closing: ActionView | null;
  monthStart: Date;
  /** Of the closing; of an open month now. */
  at: Date;
  seals: { from: string; to: string; headHash: string };
  lastStep: string;
  lastAction: string;
  lastRate: string;
}

export async function* packFiles(trx: Trx, scope: PackScope): AsyncGenerator<ZippedFile> {
  yield { name: 'README.txt', content: [packReadme(scope)] };
  yield { name: 'HEAD', content: [`${scope.seals.to}:${scope.seals.headHash}\n`] };
  yield { name: 'about.json', content: [`${toLine(aboutOf(scope))}\n`] };
  yield* periodContent(trx, scope);
  yield { name: 'breaks.ndjson', content: breakLines(trx, scope) };
  yield { name: 'runs.ndjson', content: runLines(trx, scope) };
  yield { name: 'actions.ndjson', content: actionLines(trx, scope) };
  yield { name: 'given-rates.ndjson', content: givenRateLines(trx, scope) };
  yield { name: 'settlement-marks.ndjson', content: saidLines(trx, scope, 'payout', ['mark settlement']) };
  yield {
    name: 'attributions.ndjson',
    content: saidLines(trx, scope, 'balance', ['attribute balance', 'rebook attribution']),
  };
  yield { name: 'secrets.json', content: [`${toLine(await secretsOf(trx, scope))}\n`] };
  yield* sealFiles(trx, scope);
}

function aboutOf({ month, timeZone, currency, closing, at, seals }: PackScope): object {
  const closed =
    closing === null
      ? null
      : {
          at: closing.at,
          by: closing.actor,
          approvedBy: approverOf(closing),
          reason: closing.reason,
          exceptions: exceptionsOf(closing),
          doubted: doubtedOf(closing),
        };
  const status = closing === null ? 'open' : 'closed';
  return { format: 'tallyhook-pack-1', month, status, closed, asOf: at.toISOString(), timeZone, currency, seals };
}

const exceptionsShape = z.object({ missing: z.array(z.object({ told: z.string() })).catch([]) });

/** What was missing when the month was closed, in words. */
function exceptionsOf({ details }: ActionView): string[] {
  return exceptionsShape.parse(details).missing.map(({ told }) => told);
}

/** What income was in doubt then, in words; null: none, or it was not kept yet. */
const doubtedOf = ({ details: { doubted } }: ActionView): string | null =>
  typeof doubted === 'string' ? doubted : null;

/** Who approved what the actor had asked for; null: one person closed it. */
function approverOf({ details: { approvedBy } }: ActionView): string | null {
  return typeof approvedBy === 'string' ? approvedBy : null;
}

async function* periodContent(trx: Trx, scope: PackScope): AsyncGenerator<ZippedFile> {
  const { closing, month, chart, currency, timeZone, table } = scope;
  if (closing !== null) {
    for (const { id, name } of await periodFiles(trx, month))
      yield { name: `books/${name}`, content: readPeriodFile(trx, id) };
    return;
  }
  const standing = await openStanding(trx, scope);
  for (const make of Object.values(exportFormats)) {
    for (const { name, content } of await make({ trx, month, chart, currency, timeZone, table, standing }))
      yield { name: `books/${name}`, content };
  }
}

async function* breakLines(trx: Trx, { monthStart, lastStep }: PackScope): AsyncGenerator<string> {
  for await (const breaks of breaksUntil(trx, { since: monthStart, lastStep }))
    yield breaks.map((one) => `${toLine(one)}\n`).join('');
}

const CHUNK = 500;
const DEEPEST = 1_000;

/** Bytes that a pack had before it has again. */
const asStored = (column: string): string => `${column}::varchar AS ${column}`;

/** Runs that ended between the beginning of the month and the closing. */
function runLines(trx: Trx, { monthStart, at }: PackScope): AsyncGenerator<string> {
  const runs = trx('runs')
    .whereBetween('finished_at', [monthStart, at])
    .select(trx.raw(`id, kind, "full", status, calls, seen, changed, breaks_opened, complete, ${asStored('proof')}`))
    .select('started_at', 'finished_at', trx.raw(asStored('error')));
  return tableLines(runs, withJson('proof'));
}

/** What people did since the beginning of the month, up to the closing. */
function actionLines(trx: Trx, { monthStart, lastAction }: PackScope): AsyncGenerator<string> {
  const texts = ['actor', 'action', 'target', 'reason', 'details'].map(asStored).join(', ');
  const actions = trx('actions')
    .where('id', '<=', lastAction)
    .where('at', '>=', monthStart)
    .select(trx.raw(`id, at, ${texts}, outcome`));
  return tableLines(actions, withJson('details'));
}

/** What was given for the days of the month until then, each with what it took the place of. */
function givenRateLines(trx: Trx, { month, lastRate }: PackScope): AsyncGenerator<string> {
  const texts = ['asset_code', 'currency', 'file_hash', 'actor'].map(asStored).join(', ');
  const given = trx.raw(
    `(SELECT id, date::text AS date, ${texts}, ${exact('rate')} AS rate, imported_at,
        trim_scale(lag(rate) OVER (PARTITION BY date, asset_code, currency ORDER BY id))::text AS replaced
      FROM given_rates WHERE id <= ? AND date >= ? AND date < ?) AS given`,
    [lastRate, `${month}-01`, firstDayAfter(month)],
  );
  return tableLines(trx.from(given).select('*'), (row) => row);
}

/** What finance said by these actions since the beginning of the month, up to the closing, with what it said it of. */
function saidLines(
  trx: Trx,
  { monthStart, lastAction }: PackScope,
  of: 'payout' | 'balance',
  names: readonly string[],
): AsyncGenerator<string> {
  const texts = ['actor', 'target', 'reason', 'details'].map(asStored).join(', ');
  const marks = trx('actions')
    .where({ outcome: 'done' })
    .whereIn('action', names)
    .where('id', '<=', lastAction)
    .where('at', '>=', monthStart)
    .select(trx.raw(`id, at, ${texts}`));
  return tableLines(marks, ({ id, at, actor, target, reason, details }) => ({
    ...(parseJson(String(details), DEEPEST) as JsonObject),
    action: id,
    at,
    actor,
    [of]: String(target).replace(`${of} `, ''),
    note: reason,
  }));
}

type Row = { id: string; [column: string]: unknown };

const withJson =
  (column: string) =>
  (row: Row): object => ({ ...row, [column]: parseJson(String(row[column]), DEEPEST) });

/** In the order of ids, some at a time. */
async function* tableLines(query: Knex.QueryBuilder, shown: (row: Row) => object): AsyncGenerator<string> {
  for (let after = '0'; ; ) {
    const rows: Row[] = await query.clone().where('id', '>', after).orderBy('id').limit(CHUNK);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield rows.map((row) => `${toLine(shown(row))}\n`).join('');
  }
}

/** As they were kept with the closing. */
async function secretsOf(trx: Trx, { closing }: PackScope): Promise<object> {
  const kept = closing?.details['secrets'];
  if (Array.isArray(kept)) return { asOf: 'closing', secrets: kept };
  return {
    asOf: closing === null ? 'now' : 'not kept with this closing',
    secrets: closing === null ? await secretFingerprints(trx) : [],
  };
}

async function* sealFiles(trx: Trx, { seals }: PackScope): AsyncGenerator<ZippedFile> {
  const [from, to] = [await getSeal(trx, seals.from), await getSeal(trx, seals.to)];
  if (from === null || to === null) throw new Error('a seal of the month is missing: tallyhook audit verify');
  const range = { from: seals.from, to: seals.to };
  yield { name: 'seals/manifest.json', content: [`${toLine(manifestOf(from, to))}\n`] };
  yield { name: 'seals/seals.ndjson', content: sealLines(trx, range) };
  yield* inParts((part) => `seals/rows-${part}.ndjson`, rowLines(trx, range));
}

/** Keys in one order, whatever made the object. */
const toLine = (value: object): string => canonicalJson(parseJson(toJsonText(value), DEEPEST));

function closersOf(closing: ActionView): string {
  const approver = approverOf(closing);
  return approver === null ? closing.actor : `${closing.actor}, who asked for it, and ${approver}, who approved it`;
}

const reasonLine = ({ reason }: ActionView): string => (reason === null ? '' : `Why: ${reason}\n`);

function exceptionLines(closing: ActionView, month: string): string {
  const exceptions = exceptionsOf(closing);
  const doubted = doubtedOf(closing);
  const missing =
    exceptions.length === 0 ? '' : `What was missing:\n${exceptions.map((told) => `  - ${told}\n`).join('')}`;
  return doubted === null ? missing : `${missing}In doubt, by books/${month}-doubted.csv: ${doubted}\n`;
}

/** What a pack is and how it is checked, for somebody who has nothing else. */
function packReadme({ month, closing, at, seals, timeZone }: PackScope): string {
  const state =
    closing === null
      ? `The month is OPEN: this is how it stood at ${at.toISOString()}. It may still change.`
      : `The month was closed${exceptionsOf(closing).length === 0 ? '' : ' WITH EXCEPTIONS'} at ${closing.at} by ${closersOf(closing)}. ${reasonLine(closing)}${exceptionLines(closing, month)}A pack of it has these bytes whenever it is made,
except where a difference that was open then has since become more severe: what its severity and evidence were then is not
kept, and in a pack made later both are null in breaks.ndjson.`;
  return `Evidence of ${month} (${timeZone}), made by Tallyhook
${state}

What is in it
  HEAD                  the number and hash of the last seal in it: keep it outside
  about.json            the month, its closing, and the seals that cover it
  books/                the books: entries, accounts, values, orders, payments, payouts, balances, as csv, ndjson,
                        xlsx, hledger, beancount, journal and datev; of a closed month the files stored when it was closed
  breaks.ndjson         differences between the merchant's records and the service's that were open in the month,
                        each with its history: who decided what, when and why
  runs.ndjson           every reading of the service's lists, with the proof that it was complete, or why not
  actions.ndjson        what people did, and why
  given-rates.ndjson    the rates that finance gave for days of the month, each with what it took the place of
  settlement-marks.ndjson  what finance said of the bank, with who approved it. What was expected is in books/, in settlements
  attributions.ndjson   what finance attributed, and what it rebooked ("from" an account to another), with who approved it.
                        Each is an entry in books/ too: its text says the same
  secrets.json          fingerprints of the signing secrets; never a secret
  seals/                the sealed history: every change of a record, every entry, every action
  MANIFEST.sha256       the SHA-256 of each of these files

How to check it
  1. Unpack it, then: sha256sum -c MANIFEST.sha256
  2. The seals: each line of seals/seals.ndjson names, as "previous", the SHA-256 of the line before it, and as "rowsHash"
     that of its rows. The last one (seal ${seals.to}) must have the SHA-256
       ${seals.headHash}
     Hold it against what was kept elsewhere at the time: the notice of the closing, the log of the schedulers, an earlier
     export or pack. Whoever has the database holds HEAD against it: tallyhook audit verify --head "$(cat HEAD)".
     docs/audit.md of Tallyhook has the recipe, and a program of some forty lines that does it all.
  3. The ledgers: hledger -f books/${month}.journal check; bean-check books/${month}.beancount

What it does not say
  Who a customer is: personal fields stand as keyed digests. What the service said later than this.
`;
}
