import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const shell = useShell(database, () => ({ BOOKS_TIMEZONE: 'Europe/Athens' }));
const scorecard = (...words: string[]) => shell('scorecard', ...words);
const month = new Date().toISOString().slice(0, 7);

beforeAll(async () => {
  const { db } = database;
  const common = { key_type: 'id', source: 'webhook', secret_label: 'live', event_timestamp: Date.now() / 1_000 };
  await db('inbox').insert([
    { ...common, key: 'k1', content_hash: 'c1', event_type: 'payment_intent.completed' },
    { ...common, key: 'k2', content_hash: 'c2', event_type: '=cmd()' },
  ]);
  const hour = new Date();
  await db('service_call_counts').insert({ hour, operation: 'getBalance', outcome: 'no_answer', count: 1 });
});

test('counts what is there, and prints it as tables, JSON or a CSV with the source of each figure', async () => {
  const { code, json } = await scorecard(month, '--json');
  expect(code).toBe(0);
  expect(json).toMatchObject({
    month,
    timeZone: 'Europe/Athens',
    events: { expected: 2, received: 2, missed: 0 },
    api: { no_answer: 1, availability: '0.00' },
  });
  const printed = await scorecard(month);
  expect(printed.stdout).toContain('payment_intent.completed');
  expect(printed.stdout).toContain('not known: The delivery history was not read completely');
  expect(printed.stdout).toMatch(/^│ all +│ 2 +│ 2 +│ 0 +│ 0 +│ 0 +(│ – +){5}/m);
  const { stdout } = await scorecard(month, '--csv');
  const lines = stdout.split('\r\n');
  expect(lines[0]).toBe('of,figure,value,source');
  expect(lines).toContain('all events,received,2,webhooks received');
  expect(lines).toContain('all events,missed,,the service’s delivery history');
  expect(lines).toContainEqual(expect.stringMatching(/^API,no answer,1,/));
  // What a webhook calls itself is no formula in a spreadsheet.
  expect(lines).toContain("'=cmd(),received,1,webhooks received");
});

test('refuses what is no month, and two forms at once', async () => {
  expect((await scorecard('2026-13')).code).toBe(2);
  expect((await scorecard(month, '--csv', '--json')).code).toBe(2);
});
