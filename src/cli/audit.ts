import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { stringify } from 'lossless-json';
import { counted } from '../domain/in-words.js';
import { UsageError } from '../errors.js';
import { exportAudit, planAuditExport } from '../finance/audit/export-audit.js';
import { packMonth, planPack } from '../finance/audit/pack-month.js';
import { wholeBooks } from '../finance/verify-books.js';
import { recordAction } from '../records/actions/record-action.js';
import { checkSeals, type SealState, sealState, unsealedText } from '../records/audit/seal-checks.js';
import { type Finding, type KnownSeal } from '../records/audit/verify-head.js';
import { type Flags, month, wholeNumber } from './arguments.js';
import { createProgressLine, EXIT_FINDINGS, oneLine, printFiles, printNote, printPlan, printText } from './print.js';
import { cliActor, withStore } from './with-store.js';

const number = wholeNumber(1, Number.MAX_SAFE_INTEGER);

interface RangeFlags extends Flags {
  from?: number;
  to?: number;
}

interface OutFlags extends Flags {
  out: string;
}

export function define(command: Command): void {
  command.description(
    'the sealed logs and the books: whether anything was changed since it was written, and what an auditor takes along',
  );
  rangeFlags(command.command('verify'))
    .description('recompute every seal and row, and the books; exit code 3 when anything is not as it was sealed')
    .option(
      '--head <seal>',
      'a head of the seals that you kept outside, as 120:<hash>; may be given again',
      knownSeals,
      [],
    )
    .option('--expect <seal>', 'the same as --head', knownSeals, [])
    .action(verify);
  rangeFlags(command.command('export'))
    .description('seals and rows as lines that can be verified without this program (docs/audit.md)')
    .requiredOption('--out <dir>', 'the folder to write to; files of these names are replaced')
    .option('--dry-run', 'only say what would be written where')
    .action(exportTo);
  command
    .command('pack')
    .description('all that an auditor needs of a month in one zip; of a closed month the same bytes each time')
    .argument('<month>', 'such as 2026-10', month)
    .requiredOption('--out <file>', 'the zip to write; beside it its SHA-256')
    .option('--dry-run', 'only say what would be written where')
    .option('--json', 'print JSON')
    .action(pack);
}

function rangeFlags(command: Command): Command {
  return command
    .option('--from <seal>', 'the number of the first seal; left out: from the beginning', number)
    .option('--to <seal>', 'the number of the last seal; left out: the newest', number)
    .option('--json', 'print JSON');
}

async function verify({
  head,
  expect,
  json = false,
  ...range
}: RangeFlags & { head: KnownSeal[]; expect: KnownSeal[] }): Promise<void> {
  await withStore(async ({ db, books }) => {
    const also = wholeBooks({ ...(await books()), db });
    const list = createFindingList({ json });
    const verified = await checkSeals(
      { db, now: () => new Date() },
      {
        ...rangeOf(range),
        expected: [...head, ...expect],
        also,
        actor: cliActor(),
        onFinding: list.add,
        onProgress: list.progress,
      },
    );
    const { firstFinding: _, unexpected: __, ...summary } = verified;
    const state = await sealState(db);
    list.end({ ...summary, ...state });
    if (!json) printNote(printState(state));
    if (verified.findings > 0) process.exitCode = EXIT_FINDINGS;
  });
}

async function exportTo({ out: dir, dryRun = false, json = false, ...flags }: OutFlags & RangeFlags): Promise<void> {
  const range = rangeOf(flags);
  await withStore(async ({ db }) => {
    if (dryRun) return printPlan(known(await planAuditExport(db, range)), { dir, json });
    const result = known(await exportAudit(db, { ...range, dir }));
    const { files: _, ...about } = result;
    await recordAction(db, { actor: cliActor(), action: 'export audit', details: about, outcome: 'done' });
    printFiles(result, json);
  });
}

function known<T>(result: T | null): T {
  if (result !== null) return result;
  throw new UsageError('There is no such seal: nothing is sealed yet, or the numbers are others.');
}

async function pack(asked: string, { out, dryRun = false, json = false }: OutFlags): Promise<void> {
  await withStore(async ({ db, books }) => {
    const deps = { db, now: () => new Date() };
    const what = { ...(await books()), month: asked, out };
    const result = dryRun ? await planPack(deps, what) : await packMonth(deps, what);
    if (result.outcome === 'refused') throw new UsageError(`${asked}: ${result.why}.`);
    if (result.status === 'open') printNote(`${asked} is not closed: this is how it stands now`);
    const { outcome, ...details } = result;
    if (outcome === 'would') return printPlan(details, { dir: path.dirname(out), json });
    await recordAction(db, { actor: cliActor(), action: 'pack', target: `period ${asked}`, details, outcome: 'done' });
    printFiles(details, json);
  });
}

/** What no seal proves yet is said. */
function printState({ newest, unsealed }: SealState): string {
  const open = unsealed.filter(({ rows }) => rows > 0);
  const tail = open.map(({ log, rows }) => `${unsealedText(rows)} of ${log}`).join(', ');
  const head =
    newest === null
      ? 'nothing is sealed yet'
      : `the newest seal is ${newest.number}:${newest.hash} of ${newest.sealedAt}`;
  return `${head}; ${tail === '' ? 'every row is sealed' : `not sealed yet, so not proven: ${tail}`}`;
}

function rangeOf({ from, to }: RangeFlags): { from: string | null; to: string | null } {
  return { from: from === undefined ? null : String(from), to: to === undefined ? null : String(to) };
}

function knownSeals(text: string, before: KnownSeal[]): KnownSeal[] {
  const [, seal, hash] = /^([1-9]\d{0,17}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seal === undefined || hash === undefined)
    throw new InvalidArgumentError('Accepted is a number and a hash of 64 digits, as 120:<hash>.');
  return [...before, { number: seal, hash }];
}

interface FindingList {
  add: (finding: Finding) => void;
  progress: (at: { seal: string; rows: number }) => void;
  end(summary: object): void;
}

/** Findings are written as they are found, however many; in JSON as the first member of one object. */
function createFindingList({ json }: { json: boolean }): FindingList {
  let count = 0;
  const line = createProgressLine(process.stderr);
  return {
    add: (finding) => {
      line.clear();
      count += 1;
      if (!json) printText(oneLine(finding.told));
      else process.stdout.write(`${count === 1 ? '{"items":[' : ','}\n${stringify(finding)}`);
    },
    progress: ({ seal, rows }) => line.show(() => `seal ${seal}, ${counted(rows, 'row')} verified`),
    end: (summary) => {
      line.clear();
      if (json) process.stdout.write(`${count === 0 ? '{"items":[' : '\n'}],${stringify(summary)?.slice(1)}\n`);
      else if (count === 0) printText(summaryLine(summary));
    },
  };
}

function summaryLine(summary: { seals?: number; rows?: number; isWhole?: boolean }): string {
  const books = summary.isWhole === true ? ', and the books are what they come to' : '';
  return `${counted(summary.seals ?? 0, 'seal')} with ${counted(summary.rows ?? 0, 'row')}: all as they were sealed${books}`;
}
