import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { JsonTextError, MAX_DEPTH, parseJson } from '../domain/json-table/read-table.js';
import { UsageError } from '../errors.js';
import { recordAction } from '../records/actions/record-action.js';
import { type CreateOptions, type Reply, ServiceClient, type UnshownReply } from '../service-api/client.js';
import { loadContract } from '../service-api/contract.js';
import { isKeyed, type OperationName, operationNames, operationOf, partsOf } from '../service-api/operations.js';
import { InvalidRequestError, ServiceError } from '../service-api/service-errors.js';
import { adopt } from '../wiring/adopt.js';
import { type Runtime, SERVICE_NEEDS } from '../wiring/runtime.js';
import { createServiceClient } from '../wiring/service-client.js';
import type { Flags } from './arguments.js';
import { printJson, printNote } from './print.js';
import { runUntilDone } from './run-until-done.js';
import { cliActor, commandConfig, reachingDatabase } from './with-store.js';

interface CallFlags extends Flags {
  path: Record<string, string>;
  query: Record<string, string>;
  body?: string;
  idempotencyKey?: string;
}

const STDIN = 0;

export function define(command: Command): void {
  command
    .argument('<operation>', operationNames.join(', '), operation)
    .option('--path <name=value>', 'a part of the path, such as id=acc_1', pair, {})
    .option('--query <name=value>', 'a parameter, by our name for it, such as take=5; may be repeated', pair, {})
    .option('--body <file>', 'JSON of the request; - is stdin')
    .option('--idempotency-key <key>', 'for the four calls that have one; made when left out')
    .option('--note <text>', 'of what changes something: why; kept with your name')
    .option('--dry-run', 'check, and print the request; send nothing')
    .option('--json', 'the answer is JSON in any case')
    .action(async (name: OperationName, flags: CallFlags) => {
      const isRead = operationOf(name).method === 'GET';
      if (isRead && flags.body !== undefined) throw new UsageError(`${name} has no body.`);
      const words = { path: checkedPath(name, flags.path), query: typedQuery(flags.query), body: readBody(flags.body) };
      try {
        await (flags.dryRun ? preview(name, words) : call(name, words, flags));
      } catch (error) {
        if (error instanceof InvalidRequestError) throw new UsageError(error.message, { cause: error });
        throw error;
      }
    });
}

async function preview(name: OperationName, words: CallWords): Promise<void> {
  const { SERVICE_BASE_URL, SERVICE_API_KEY, CONTRACT_FILE } = await commandConfig(SERVICE_NEEDS);
  const contract = await loadContract(CONTRACT_FILE);
  // It calls nothing, so there is nothing to be seen of it.
  const log = { warn: () => {} };
  const client = new ServiceClient({ baseUrl: SERVICE_BASE_URL, apiKey: SERVICE_API_KEY, contract, log });
  printJson(client.preview(name, words));
}

async function call(name: OperationName, words: CallWords, { idempotencyKey, note }: CallFlags): Promise<void> {
  if (idempotencyKey !== undefined && !isKeyed(name)) throw new UsageError(`${name} has no idempotency key.`);
  const config = await commandConfig(SERVICE_NEEDS);
  const run = async (runtime: Runtime) => {
    const { signal } = runtime;
    const client = await clientFor(name, runtime);
    client.preview(name, words);
    if (name === 'createPayout') await readMemoRules(client, signal);
    const options: CreateOptions = { signal };
    const key = idempotencyKey ?? madeKey(name, words);
    if (key !== undefined) {
      options.idempotencyKey = key;
      printNote(`idempotency key  ${key}`);
    }
    if (operationOf(name).method !== 'GET') {
      const details = { ...words.path, ...(key === undefined ? {} : { idempotencyKey: key }) };
      await recordAction(runtime.db, {
        actor: cliActor(),
        action: `api ${name}`,
        reason: note,
        details,
        outcome: 'asked',
      });
    }
    const reply = await callByWords(client, name, words, options);
    if (reply.totalCount !== null) printNote(`X-Total-Count  ${reply.totalCount}`);
    printJson(reply.body === undefined ? reply.data : reply.body);
  };
  await reachingDatabase(config, () => runUntilDone(config, run));
}

/** What changes something is bound to the database as the roles are, so that its answer becomes part of the records. */
async function clientFor(name: OperationName, runtime: Runtime): Promise<ServiceClient> {
  if (operationOf(name).method === 'GET') return createServiceClient(runtime);
  return createServiceClient(runtime, { adoptedAt: await adopt(runtime) });
}

/** Made here, so that it is known before the call; a refund's follows from its payment. */
function madeKey(name: OperationName, { body }: CallWords): string | undefined {
  if (!isKeyed(name) || name === 'createRefund') return undefined;
  const hasKey = typeof body === 'object' && body !== null && 'idempotencyKey' in body;
  return hasKey ? undefined : randomUUID();
}

/** A payout without the memo that its network needs would be lost. */
async function readMemoRules(client: ServiceClient, signal: AbortSignal): Promise<void> {
  try {
    await client.listPublicAssets({ signal });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    printNote(`whether the asset needs a memo could not be checked: ${error.message}`);
  }
}

function operation(word: string): OperationName {
  const name = operationNames.find((known) => known === word);
  if (name === undefined) throw new InvalidArgumentError(`Accepted are ${operationNames.join(', ')}.`);
  return name;
}

function pair(word: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(word) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Accepted is name=value.');
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...before, [name]: value };
}

function checkedPath(name: OperationName, given: Record<string, string>): Record<string, string> {
  const path = operationOf(name).path;
  const known = partsOf(path);
  const stranger = Object.keys(given).find((part) => !known.includes(part));
  if (stranger === undefined) return given;
  throw new UsageError(
    `--path ${stranger}: ${known.length === 0 ? `${path} has no parts` : `known are ${known.join(', ')}`}.`,
  );
}

/** Page sizes and numbers are numbers; what is none stays as it is, to be refused by its name. */
function typedQuery(given: Record<string, string>): Record<string, string | number> {
  const isNumber = (name: string, value: string) => (name === 'take' || name === 'page') && /^\d{1,9}$/.test(value);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, isNumber(name, value) ? Number(value) : value]),
  );
}

function readBody(file: string | undefined): unknown {
  if (file === undefined) return undefined;
  const named = file === '-' ? 'stdin' : file;
  try {
    return parseJson(readFileSync(file === '-' ? STDIN : file, 'utf8'), MAX_DEPTH);
  } catch (cause) {
    const problem = cause instanceof JsonTextError ? `is not JSON: ${cause.message}` : 'can’t be read';
    throw new UsageError(`--body: ${named} ${problem}`, { cause });
  }
}

interface CallWords {
  path: Record<string, string>;
  query: Record<string, string | number>;
  body: unknown;
}

type AnyReply = Reply<object | null> & Partial<Pick<UnshownReply<object>, 'body'>>;

/** Calls the client's method of the operation: the parts of its path, then its body or query, then the options. */
function callByWords(
  client: ServiceClient,
  name: OperationName,
  { path, query, body }: CallWords,
  options: CreateOptions,
): Promise<AnyReply> {
  const operation = operationOf(name);
  const ids = partsOf(operation.path).map((part) => path[part] ?? '');
  const given = [...(operation.body ? [body] : []), ...(operation.query ? [query] : [])];
  const method = client[name] as (...words: unknown[]) => Promise<AnyReply>;
  return method.call(client, ...ids, ...given, options);
}
