import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type ScriptedService, startScriptedService } from '../service-api/scripted-service.js';
import { useDatabase } from '../support/database.js';
import { useFolder } from '../support/folder.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { callSettings } from './call-settings.js';

const MADE = 'made@example.com';
const LOST = 'lost@example.com';

const database = useDatabase();
let service: ScriptedService;
const cwd = useFolder();
/** Requests to create an invoice, by customer. */
const arrived: string[] = [];
const invoices: object[] = [];
const running: CliProcess[] = [];

beforeAll(async () => {
  // Makes what it is asked for, unless for one customer, and never answers.
  service = await startScriptedService((request, response) => void answer(request, response));
});

afterAll(async () => {
  for (const cli of running) await cli.end('SIGKILL');
  await service.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === 'GET') {
    const isList = request.url?.startsWith('/v1/invoices?') && !request.url.includes('cursor');
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(isList ? invoices : []));
    return;
  }
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as { customerEmail: string; merchantReference: string };
  arrived.push(asked.customerEmail);
  if (asked.customerEmail === LOST) return;
  const { merchantReference: _, ...shown } = asked;
  invoices.unshift({ id: 'inv_1', status: 'sent', createdAt: new Date().toISOString(), ...shown });
}

const settings = () => callSettings(service, database);

async function killedWhileCreating(customerEmail: string): Promise<void> {
  const body = path.join(cwd, 'invoice.json');
  await writeFile(body, JSON.stringify({ customerEmail, amount: '30.3', currency: 'EUR', merchantReference: 'ord-1' }));
  const cli = startCli(['api', 'createInvoice', '--body', body], { cwd, env: settings() });
  running.push(cli);
  await vi.waitFor(() => expect(arrived).toContain(customerEmail), { timeout: 30_000, interval: 5 });
  expect(await cli.end('SIGKILL')).toBe('SIGKILL');
}

it('finds the invoice that a killed process made, says which was not made, and sends none again', async () => {
  await killedWhileCreating(MADE);
  await killedWhileCreating(LOST);
  expect(await database.db('service_writes').where({ status: 'open' })).toHaveLength(2);

  // As long as a call lasts at most: what is not in the list by then was not made.
  await database.db.raw(`UPDATE service_writes SET leased_until = now(), begun_at = begun_at - interval '3 minutes'`);
  const scheduler = startCli(['schedule'], { cwd, env: settings() });
  running.push(scheduler);
  const open = () => database.db('service_writes').where({ status: 'open' });
  await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: 30_000, interval: 100 });
  expect(await scheduler.end('SIGTERM')).toBe(0);
  expect(scheduler.output.stderr).toMatch(/"records":\["inv_1"\],"msg":"call settled"/);
  expect(scheduler.output.stderr).toContain('"msg":"call made nothing"');

  const ended = await database.db('service_writes').select('status', 'object_id', 'request').orderBy('status');
  expect(ended).toEqual([
    { status: 'done', object_id: 'inv_1', request: null },
    { status: 'unsent', object_id: null, request: null },
  ]);
  expect(arrived.toSorted()).toEqual([LOST, MADE]);
  expect(await database.db('invoices').where({ id: 'inv_1' }).first()).toMatchObject({
    merchant_reference: 'ord-1',
  });
}, 120_000);
