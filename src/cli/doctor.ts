import type { Command } from 'commander';
import { grouped } from '../domain/grouped.js';
import { duration, findingWords } from '../domain/in-words.js';
import { UsageError } from '../errors.js';
import { kinds } from '../reconcile/deps.js';
import { DOCTOR, keepResult, newestResult } from '../records/actions/list-actions.js';
import type { Check } from '../wiring/doctor/check.js';
import { type Diagnosis, runDoctor } from '../wiring/doctor/examine.js';
import { type Runtime, SERVICE_NEEDS } from '../wiring/runtime.js';
import type { Flags } from './arguments.js';
import { EXIT_FINDINGS, printJson, printLines, printNote, printText } from './print.js';
import { runUntilDone } from './run-until-done.js';
import { showAtWork } from './show-at-work.js';
import { cliActor, commandConfig, withStore } from './with-store.js';

/** Every dependency and assumption probed, each with its remedy; exit code 3 when anything is to be done. */
export function define(command: Command): void {
  command
    .option('--all', 'also what is well')
    .option('--last', 'what they said last, whoever ran them, and how long ago; nothing is probed')
    .option('--json', 'print JSON')
    .action((flags: DoctorFlags) => (flags.last === true ? last(flags) : doctor(flags)));
}

interface DoctorFlags extends Flags {
  all?: boolean;
  last?: boolean;
}

async function doctor(flags: DoctorFlags): Promise<void> {
  const examine = async (runtime: Runtime) => {
    const diagnosis = await showAtWork('probing', runDoctor(runtime));
    const { items } = diagnosis;
    // The database may be what is wrong.
    await keepResult(runtime.db, DOCTOR, { at: runtime.now(), actor: cliActor(), result: { items } }).catch(() => {});
    print(diagnosis, flags);
  };
  await runUntilDone(await commandConfig(SERVICE_NEEDS), examine, 'fatal');
}

async function last(flags: DoctorFlags): Promise<void> {
  await withStore(async ({ db }) => {
    const kept = await newestResult<{ items?: Check[]; error?: string }>(db, DOCTOR);
    if (kept === null) throw new UsageError('The checks were never run: tallyhook doctor');
    const { at, actor, result } = kept;
    const { items, error = 'no reason is known' } = result;
    if (items === undefined)
      throw new UsageError(`The last checks, of ${at.toISOString()}, could not be run: ${error}`);
    printNote(`as of ${at.toISOString()}, ${duration((Date.now() - at.getTime()) / 1_000)} ago, by ${actor}`);
    print({ items, suggestedContract: null, suggestedEventIdPointer: null }, flags);
  });
}

function print(diagnosis: Diagnosis, { all = false, json = false }: DoctorFlags): void {
  const { items, suggestedContract, suggestedEventIdPointer } = diagnosis;
  if (items.some(({ status }) => status === 'finding')) process.exitCode = EXIT_FINDINGS;
  if (json) return printJson(diagnosis);
  printLines(diagnosisLines(items, { all }), indentOf);
  if (suggestedEventIdPointer !== null) printText(`\nEVENT_ID_POINTER=${suggestedEventIdPointer}`);
  if (suggestedContract === null) return;
  printText('\nA CONTRACT_FILE with this content fits the service:');
  printJson(suggestedContract);
}

const INDENT = 10;
/** What goes on in the next line does so behind the first column, and of what follows or is to be done further in. */
const indentOf = (line: string): number => (/^ +(?:with it:|waits for:|→) /.test(line) ? INDENT + 2 : INDENT);

const groups = ['installation', 'service', 'secrets', 'alerts', 'what is proven', 'contract'] as const;
type Group = (typeof groups)[number];

type Status = Check['status'];

/** In a line's first column, and in the order in which they are printed. Advice is `ok`, with something to do. */
const words = ['finding', 'unknown', 'hint', 'ok'] as const;

/**
 * How many of each group are well, and in full what is not, findings first, and what is advised; those of which the same is
 * said are printed together. With `all` also what is well.
 */
export function diagnosisLines(items: readonly Check[], { all }: { all: boolean }): string[] {
  const printed = words.filter((word) => all || word !== 'ok');
  // What follows from a finding stands beneath it.
  const shown = items.filter(({ because }) => all || because === undefined);
  const lines = printed.flatMap((word) => alikeOf(shown.filter((check) => wordOf(check) === word)).flatMap(linesOf));
  return [...groupLines(items), ...(lines.length > 0 ? ['', ...lines] : []), '', ...summaryOf(items, all)];
}

function groupLines(items: readonly Check[]): string[] {
  const row = (name: string, ...cells: (string | number)[]) =>
    `${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(9)).join('')}`.trimEnd();
  const rows = groups.flatMap((group) => {
    const own = items.filter((check) => groupOf(check) === group);
    const [ok, finding, unknown] = (['ok', 'finding', 'unknown'] as const).map((status) => countOf(own, status));
    return own.length === 0 ? [] : [row(group, ok || '–', finding || '–', unknown || '–')];
  });
  return [row('', 'ok', 'finding', 'unknown'), ...rows];
}

const ofService = new Set(['service', 'clock', 'key', 'account', 'endpoint']);
const ofAlerts = new Set(['receiver', 'worker', 'alerts', 'alert channels']);
const ofContract = new Set(['event id', 'retries']);
const ofProof: ReadonlySet<string> = new Set(kinds);

/** One that is about several things is named by all of them. */
function groupOf({ name: all }: Check): Group {
  const name = all.split(', ')[0] ?? all;
  if (ofContract.has(name) || name.startsWith('contract ')) return 'contract';
  if (ofAlerts.has(name) || name.startsWith('alerts by ')) return 'alerts';
  if (name === 'secrets' || name.startsWith('secret ')) return 'secrets';
  if (ofService.has(name)) return 'service';
  return ofProof.has(name) ? 'what is proven' : 'installation';
}

/** Of these the same is said. */
interface Alike {
  names: string[];
  check: Check;
}

function alikeOf(items: readonly Check[]): Alike[] {
  const alike = grouped(items, (check) => JSON.stringify([groupOf(check), check.status, check.found, check.remedy]));
  return [...alike.values()].map((some) => ({ names: some.map(({ name }) => name), check: some[0] as Check }));
}

function wordOf({ status, remedy }: Check): (typeof words)[number] {
  return status === 'ok' && remedy !== null ? 'hint' : status;
}

function linesOf({ names, check }: Alike): string[] {
  const { found, remedy, follows = [], waitsFor } = check;
  const [first = '', ...others] = names;
  // The word that they all begin with is said once.
  const shared = others.length > 0 && first.startsWith('contract ') ? 'contract ' : '';
  const short = (name: string) => (shared !== '' && name.startsWith(shared) ? name.slice(shared.length) : name);
  const list = [first, ...others.map(short)].join(', ');
  const waits = waitsFor === undefined ? [] : [`waits for: ${waitsFor}`];
  const effects = follows.map((title) => `with it: ${title}`);
  const below = [found, ...waits, ...effects, ...(remedy === null ? [] : [`→ ${remedy}`])];
  return [`${wordOf(check).padEnd(INDENT)}${list}`, ...below.map((text) => `${' '.repeat(INDENT)}${text}`)];
}

function countOf(items: readonly Check[], wanted: Status): number {
  return items.filter(({ status }) => status === wanted).length;
}

function summaryOf(items: readonly Check[], all: boolean): string[] {
  const unknown = countOf(items, 'unknown');
  const found = findingWords(items.filter(({ status }) => status === 'finding'));
  const counts = [
    `${items.length} ${items.length === 1 ? 'check' : 'checks'}:`,
    found.length === 0 ? 'nothing is to be done' : found.join(', '),
    ...(unknown === 0 ? [] : [`and ${unknown} not known yet`]),
  ].join(' ');
  return [`${counts}.${all ? '' : ' Each of them: tallyhook doctor --all'}`];
}
