import { expect } from 'vitest';
import { amountOf as units } from '../../src/sandbox/base/money.js';
import type { SandboxOptions } from '../../src/sandbox/start-sandbox.js';
import { openSandbox, type Reply, type Row, rowsOf, type TestSandbox } from './support.js';

/** Records made so far, and what the service has promised about them. */
export interface World {
  sandbox: TestSandbox;
  fees: Map<string, bigint>;
  accounts: string[];
  payouts: string[];
  intents: string[];
  invoices: string[];
  disabled: Set<string>;
  /** External references by account. */
  references: Map<string, string>;
  /** Requests by idempotency key. */
  made: Map<string, string>;
}

export async function open(options: SandboxOptions = {}): Promise<World> {
  const sandbox = await openSandbox({ expirySeconds: 3600, ...options });
  const catalog = (await sandbox.call<Row[]>('GET', '/v1/public/assets')).body;
  const fees = new Map(
    catalog.map(({ assetCode, fees }) => [
      String(assetCode),
      units((fees as { payout: string }).payout.split(' ')[0]!),
    ]),
  );
  const lists = { accounts: [], payouts: [], intents: [], invoices: [] };
  return { sandbox, fees, ...lists, disabled: new Set(), references: new Map(), made: new Map() };
}

export const among = (ids: string[], n: number): string => ids[n % Math.max(ids.length, 1)] ?? 'none';

/** Accounts have an e-mail by the order they were made in. */
export const emailOf = ({ accounts }: World, id: string): string => `user-${accounts.indexOf(id)}@example.com`;

export interface Seen {
  status: unknown;
  available: bigint;
  frozen: boolean;
}

export async function account({ sandbox }: World, id: string, assetCode: string): Promise<Seen | null> {
  const { status, body } = await sandbox.call('GET', `/sandbox/accounts/${id}`);
  if (status !== 200) return null;
  const rows = rowsOf(body, 'balances');
  const row = rows.find((one) => one.assetCode === assetCode);
  return {
    status: body.status,
    available: amountIn(row, 'available'),
    frozen: rows.some(({ frozen }) => frozen !== '0'),
  };
}

export async function operating({ sandbox }: World, assetCode: string): Promise<bigint> {
  return amountIn((await sandbox.call('GET', `/v1/wallet/balances/${assetCode}`)).body, 'available');
}

/** Whether the service must accept; null where the specification leaves it open or it would have to be computed again. */
type Verdict = boolean | null;

export async function send(
  world: World,
  path: string,
  body: unknown,
  must: Verdict,
  headers = {},
): Promise<Reply<Row>> {
  const reply = await world.sandbox.call('POST', path, body, headers);
  judge(reply, must, path, body);
  return reply;
}

export function judge({ status, body }: Reply<Row>, must: Verdict, path: string, given: unknown): void {
  const said = `${path} ${JSON.stringify(given)} → ${status} ${JSON.stringify(body)}`;
  expect(status, said).toBeLessThan(500);
  if (must !== null) expect(status < 300, said).toBe(must);
}

/** A replay answers what its key made; anything else makes something new. */
export function note(world: World, operation: string, key: number | null, reply: Reply<Row>): boolean {
  const name = `${operation} ${key}`;
  const earlier = key === null ? undefined : world.made.get(name);
  if (earlier !== undefined) expect([reply.status, reply.body.id]).toEqual([200, earlier]);
  else if (key !== null && reply.status === 201) world.made.set(name, reply.body.id);
  return earlier === undefined && reply.status === 201;
}

export const keyed = (key: number | null): object => (key === null ? {} : { idempotencyKey: `key-${key}` });

/** The amount under a field of a record, zero where there is none. */
export function amountIn(record: Record<string, unknown> | null | undefined, field: string): bigint {
  const text = record?.[field];
  return typeof text === 'string' ? units(text) : 0n;
}
