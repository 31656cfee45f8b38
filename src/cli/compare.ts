import { parse } from 'lossless-json';
import { canonicalJson } from '../domain/canonical-json.js';
import { counted } from '../domain/in-words.js';
import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { isAmount, normalizeAmount } from '../domain/money.js';
import { maskPersonal } from '../domain/personal.js';
import { UsageError } from '../errors.js';
import { EXIT_FINDINGS, printJson, printText } from './print.js';
import { findDemo } from './running-demo.js';

interface Difference {
  id: string;
  field: string;
  ours: Json;
  theirs: Json;
}

interface Comparison {
  /** Payments that last changed before this moment were held against ours. */
  asOf: string;
  compared: number;
  differences: Difference[];
}

const ANSWER_MS = 30_000;
const PAGE = 500;

/** Every payment that last changed before the last complete run began, field by field. Exit code 3 when any differs. */
export async function compareWithSandbox({ json = false }: { json?: boolean }): Promise<void> {
  const demo = await findDemo();
  if (!demo) throw new UsageError('No demo runs in this folder; start one with: npx tallyhook demo');
  const { console: api, sandbox, token } = demo;
  const ask = async (url: string) => parse(await fetchText(url, token)) as JsonObject;
  const runs = await ask(`${api}/api/v1/runs?kind=payment-intents&status=succeeded&take=50`);
  const last = listOf(runs.items).find((run) => run.complete === true);
  if (!last) throw new UsageError('No complete run yet; ask again in a moment.');
  const asOf = textOf(last.startedAt);
  // Ours first: what the service then still calls unchanged since the run began was so while we were asked.
  const ours = await allOurs(api, ask);
  const truth = await ask(`${sandbox}/sandbox/truth?changedBefore=${encodeURIComponent(asOf)}`);
  const theirs = listOf(truth.paymentIntents);
  const result: Comparison = {
    asOf,
    compared: theirs.length,
    differences: theirs.flatMap((record) => differences(record, ours.get(textOf(record.id)))),
  };
  print(result, json);
  if (result.differences.length > 0) process.exitCode = EXIT_FINDINGS;
}

async function fetchText(url: string, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
  if (!response.ok) throw new UsageError(`${url.split('?')[0]} answered ${response.status}.`);
  return response.text();
}

async function allOurs(api: string, ask: (url: string) => Promise<JsonObject>): Promise<Map<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  let cursor = '';
  do {
    const page = await ask(`${api}/api/v1/payment-intents?take=${PAGE}${cursor}`);
    for (const record of listOf(page.items)) found.set(textOf(record.id), record);
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(textOf(page.nextCursor))}`;
  } while (cursor !== '');
  return found;
}

function differences(theirs: JsonObject, ours: JsonObject | undefined): Difference[] {
  const id = textOf(theirs.id);
  if (!ours) return [{ id, field: '*', ours: null, theirs }];
  return Object.keys(theirs)
    .filter((field) => !same(field, theirs[field], ours[field]))
    .map((field) => ({ id, field, ours: ours[field] ?? null, theirs: theirs[field] ?? null }));
}

/** What is masked by its age is equal where theirs would be masked to the same. */
function same(field: string, theirs: Json = null, ours: Json = null): boolean {
  const [shown, listed] = [canonicalJson(plain(ours)), plain(theirs)];
  return (
    shown === canonicalJson(listed) ||
    shown === canonicalJson(maskPersonal('payment_intent', { [field]: listed })[field] ?? null)
  );
}

/** Our API writes amounts without trailing zeros; the value is what counts. */
function plain(value: Json | undefined): Json {
  if (typeof value === 'string' && isAmount(value)) return normalizeAmount(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function print(result: Comparison, json: boolean): void {
  if (json) return printJson(result);
  for (const { id, field, ours, theirs } of result.differences.slice(0, 50))
    printText(`${id} ${field}: ours ${canonicalJson(ours)}, theirs ${canonicalJson(theirs)}`);
  printText(
    `${counted(result.compared, 'payment intent')} that last changed before ${result.asOf} compared field by field: ${counted(result.differences.length, 'difference')}`,
  );
}
