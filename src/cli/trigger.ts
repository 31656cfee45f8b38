import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../config.js';
import { MARK_FIELD, TRIGGER_MARK } from '../domain/events/event-key.js';
import { AppError } from '../errors.js';
import { answeredId } from '../records/deliveries/read-delivery.js';
import { type Flags, wholeNumber } from './arguments.js';
import { printJson, printNote, printResult } from './print.js';
import { chooseSecret, type SecretsConfig, sign } from './signature.js';
import { commandConfig } from './with-store.js';

/** The receiver could not be asked. */
class TriggerError extends AppError {
  readonly code = 'trigger';
}

interface TriggerFlags extends Flags {
  secret?: string;
  skew: number;
  url?: string;
  data?: Record<string, unknown>;
}

interface TestEvent {
  url: string;
  /** The label of the one that signed. */
  secret: string;
  headers: Record<string, string>;
  body: string;
}

const ANSWER_MS = 10_000;

/** Sends one signed event to our own receiver. Its mark says that it is a test: nothing follows from it there. */
export function define(command: Command): void {
  command
    .argument('<event>', 'event type, such as payment_intent.completed')
    .option('--secret <label>', 'which of the configured secrets signs; the first one when left out')
    .option('--skew <seconds>', 'moves the time stamp: -301 is too old, 61 too far ahead', wholeNumber(-1e9, 1e9), 0)
    .option('--url <url>', 'the receiver; http://127.0.0.1:PORT + WEBHOOK_PATH when left out')
    .option('--data <json>', 'the event’s data; a made-up payment intent when left out', jsonObject)
    .option('--dry-run', 'sign, and print the request; send nothing')
    .option('--json', 'print JSON')
    .action(async (event: string, { dryRun = false, json = false, ...flags }: TriggerFlags) => {
      const config = await commandConfig(['WEBHOOK_SECRETS']);
      const made = testEvent(event, flags, config);
      if (dryRun) return printJson({ method: 'POST', ...made, dryRun });
      const { status, text } = await send(made);
      printResult(json, { status, answer: text, url: made.url }, `${status} ${text}`);
      if (!json) printNote(sentTo(made.url, flags.url === undefined, config));
      const isOurs = status === 200 && answeredId(text) !== null;
      if (status === 200 && !isOurs)
        printNote(
          'That is not our receiver, which answers {"received":true}: something else takes what is sent there.',
        );
      if (!isOurs) process.exitCode = 1;
    });
}

/** An answer of our own port says nothing of the way that the service's webhooks take. */
function sentTo(url: string, isOwnPort: boolean, { WEBHOOK_PUBLIC_URL }: Config): string {
  if (!isOwnPort || WEBHOOK_PUBLIC_URL === undefined || WEBHOOK_PUBLIC_URL === url) return `sent to ${url}`;
  return `sent to ${url}, past the way that the service takes; to try that: --url ${WEBHOOK_PUBLIC_URL}`;
}

function testEvent(event: string, flags: TriggerFlags, config: SecretsConfig): TestEvent {
  const { PORT, WEBHOOK_PATH } = config;
  const { label, secret } = chooseSecret(flags.secret, config);
  const timestamp = Math.floor(Date.now() / 1000) + flags.skew;
  const body = JSON.stringify({ [MARK_FIELD]: TRIGGER_MARK, event, timestamp, data: flags.data ?? madeUpIntent() });
  const headers = {
    'Content-Type': 'application/json',
    'X-Service-Signature': sign(Buffer.from(body), secret),
    'X-Service-Timestamp': String(timestamp),
  };
  return { url: flags.url ?? `http://127.0.0.1:${PORT}${WEBHOOK_PATH}`, secret: label, headers, body };
}

async function send({ url, headers, body }: TestEvent): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWER_MS) });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    throw new TriggerError(`No answer from ${url}: is the receiver running there?`, { cause });
  }
}

/** Like a real one in shape; the service has never heard of it, so it must never become a paid order. */
function madeUpIntent(): Record<string, unknown> {
  const id = `test_${randomBytes(6).toString('hex')}`;
  const at = new Date().toISOString();
  return { id, status: 'completed', merchantReference: id, irregularStatus: 'none', createdAt: at, payins: [] };
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new InvalidArgumentError('Accepted is a JSON object.');
}
