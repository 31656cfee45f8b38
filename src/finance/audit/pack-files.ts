import type { Knex } from 'knex';
import { canonicalJson } from '../../domain/canonical-json.js';
import { toJsonText } from '../../domain/json.js';
import { parseJson } from '../../domain/json-table/parse-json.js';
import { getSeal } from '../../records/audit/list-seals.js';
import { breaksUntil } from '../../records/audit/pack-facts.js';
import { periodFiles, readPeriodFile } from '../../records/books/period-files.js';
import { secretFingerprints } from '../../records/deliveries/secrets.js';
import { exportFormats } from '../export-formats.js';
import type { ZippedFile } from '../exports/zip-files.js';
import { manifestOf, rowLines, sealLines } from './export-audit.js';
import type { PackScope } from './pack-scope.js';
import { inParts } from './pack-zip.js';

/** Everything that a pack holds, one file after the other. */
export async function* packFiles(trx: Knex.Transaction, scope: PackScope): AsyncGenerator<ZippedFile> {
  yield { name: 'README.txt', content: [packReadme(scope)] };
  yield { name: 'about.json', content: [`${toLine(aboutOf(scope))}\n`] };
  yield* periodContent(trx, scope);
  yield { name: 'breaks.ndjson', content: breakLines(trx, scope) };
  yield { name: 'runs.ndjson', content: runLines(trx, scope) };
  yield { name: 'actions.ndjson', content: actionLines(trx, scope) };
  yield { name: 'secrets.json', content: [`${toLine(await secretsOf(trx, scope))}\n`] };
  yield* sealFiles(trx, scope);
}

function aboutOf({ month, timeZone, currency, closing, at, seals }: PackScope): object {
  const closed = closing === null ? null : { at: closing.at, by: closing.actor, reason: closing.reason };
  const status = closing === null ? 'open' : 'closed';
  return { format: 'tallyhook-pack-1', month, status, closed, asOf: at.toISOString(), timeZone, currency, seals };
}

async function* periodContent(trx: Knex.Transaction, scope: PackScope): AsyncGenerator<ZippedFile> {
  const { closing, month, chart, currency, timeZone, table } = scope;
  if (closing !== null) {
    for (const { id, name } of await periodFiles(trx, month))
      yield { name: `books/${name}`, content: readPeriodFile(trx, id) };
    return;
  }
  for (const make of Object.values(exportFormats)) {
    for (const { name, content } of make({ trx, month, chart, currency, timeZone, table }))
      yield { name: `books/${name}`, content };
  }
}

async function* breakLines(trx: Knex.Transaction, { monthStart, lastStep }: PackScope): AsyncGenerator<string> {
  for await (const breaks of breaksUntil(trx, { since: monthStart, lastStep }))
    yield breaks.map((one) => `${toLine(one)}\n`).join('');
}

const CHUNK = 500;
const DEEPEST = 1_000;

/** Runs that ended between the beginning of the month and the closing. */
async function* runLines(trx: Knex.Transaction, { monthStart, at }: PackScope): AsyncGenerator<string> {
  for (let after = '0'; ; ) {
    const rows = await trx('runs')
      .where('id', '>', after)
      .whereBetween('finished_at', [monthStart, at])
      .orderBy('id')
      .limit(CHUNK)
      .select(trx.raw(`id, kind, "full", status, calls, seen, changed, breaks_opened, complete, ${asStored('proof')}`))
      .select('started_at', 'finished_at', trx.raw(asStored('error')));
    if (rows.length === 0) return;
    after = rows.at(-1).id;
    yield rows.map((row) => `${toLine({ ...row, proof: parseJson(row.proof, DEEPEST) })}\n`).join('');
  }
}

/** Bytes that a pack had before it has again. */
const asStored = (column: string): string => `${column}::varchar AS ${column}`;

/** What people did since the beginning of the month, up to the closing. */
async function* actionLines(trx: Knex.Transaction, { monthStart, lastAction }: PackScope): AsyncGenerator<string> {
  for (let after = '0'; ; ) {
    const rows = await trx('actions')
      .where('id', '>', after)
      .where('id', '<=', lastAction)
      .where('at', '>=', monthStart)
      .orderBy('id')
      .limit(CHUNK)
      .select(
        trx.raw(`id, at, ${['actor', 'action', 'target', 'reason', 'details'].map(asStored).join(', ')}, outcome`),
      );
    if (rows.length === 0) return;
    after = rows.at(-1).id;
    yield rows.map((row) => `${toLine({ ...row, details: parseJson(row.details, DEEPEST) })}\n`).join('');
  }
}

/** As they were kept with the closing. */
async function secretsOf(trx: Knex.Transaction, { closing }: PackScope): Promise<object> {
  const kept = closing?.details['secrets'];
  if (Array.isArray(kept)) return { asOf: 'closing', secrets: kept };
  return {
    asOf: closing === null ? 'now' : 'not kept with this closing',
    secrets: closing === null ? await secretFingerprints(trx) : [],
  };
}

async function* sealFiles(trx: Knex.Transaction, { seals }: PackScope): AsyncGenerator<ZippedFile> {
  const [from, to] = [await getSeal(trx, seals.from), await getSeal(trx, seals.to)];
  if (from === null || to === null) throw new Error('a seal of the month is missing: tallyhook audit verify');
  const range = { from: seals.from, to: seals.to };
  yield { name: 'seals/manifest.json', content: [`${toLine(manifestOf(from, to))}\n`] };
  yield { name: 'seals/seals.ndjson', content: sealLines(trx, range) };
  yield* inParts((part) => `seals/rows-${part}.ndjson`, rowLines(trx, range));
}

/** Keys in one order, whatever made the object. */
function toLine(value: object): string {
  return canonicalJson(parseJson(toJsonText(value), DEEPEST));
}

/** What a pack is and how it is checked, for somebody who has nothing else. */
function packReadme({ month, closing, at, seals, timeZone }: PackScope): string {
  const state =
    closing === null
      ? `The month is OPEN: this is how it stood at ${at.toISOString()}. It may still change.`
      : `The month was closed at ${closing.at} by ${closing.actor}. A pack of it has these bytes whenever it is made,
except where a difference that was open then has since become more severe: what its severity and evidence were then is not
kept, and in a pack made later both are null in breaks.ndjson.`;
  return `Evidence of ${month} (${timeZone}), made by Tallyhook
${state}

What is in it
  about.json            the month, its closing, and the seals that cover it
  books/                the books: entries, accounts, values, orders, payments, payouts, balances, as csv, ndjson,
                        xlsx, hledger and beancount; of a closed month the files stored when it was closed
  breaks.ndjson         differences between the merchant's records and the service's that were open in the month,
                        each with its history: who decided what, when and why
  runs.ndjson           every reading of the service's lists, with the proof that it was complete, or why not
  actions.ndjson        what people did, and why
  secrets.json          fingerprints of the signing secrets; never a secret
  seals/                the sealed history: every change of a record, every entry, every action
  MANIFEST.sha256       the SHA-256 of each of these files

How to check it
  1. Unpack it, then: sha256sum -c MANIFEST.sha256
  2. The seals: each line of seals/seals.ndjson names, as "previous", the SHA-256 of the line before it, and as "rowsHash"
     that of its rows. The last one (seal ${seals.to}) must have the SHA-256
       ${seals.headHash}
     Hold it against what was kept elsewhere at the time: the log of the schedulers, an earlier export or pack.
     docs/audit.md of Tallyhook has the recipe, and a program of some forty lines that does it all.
  3. The ledgers: hledger -f books/${month}.journal check; bean-check books/${month}.beancount

What it does not say
  Who a customer is: personal fields stand as keyed digests. What the service said later than this.
`;
}
