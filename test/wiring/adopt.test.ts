import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { adopt } from '../../src/wiring/adopt.js';
import { useDatabase } from '../support/database.js';

const database = useDatabase();

test.each([
  ['migrations not run: 0001_installation.sql', 'schema', 'tallyhook migrate'],
  ['The database at db.example/shop is read-only', undefined, undefined],
  ['stopping', undefined, undefined],
] as const)('while it waits because of "%s" it names the command: %s', async (problem, about, run) => {
  const lines: string[] = [];
  const waiting = adopt({
    db: database.db,
    log: createLog('warn', { write: (line) => void lines.push(line) }),
    now: () => new Date(),
    config: { SERVICE_BASE_URL: 'https://one.example', ADOPTED_AT: undefined },
    ready: async () => ({ ok: false, problems: [problem], ...(about && { about }) }),
    signal: AbortSignal.abort(),
  });
  await expect(waiting).rejects.toThrow();
  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ msg: 'waiting for database' })]);
  expect(JSON.parse(lines[0] ?? '{}').run).toBe(run);
});

const adopted = (SERVICE_BASE_URL: string, ADOPTED_AT?: Date) =>
  adopt({
    db: database.db,
    log: createLog('silent'),
    now: () => new Date('2026-05-01'),
    config: { SERVICE_BASE_URL, ADOPTED_AT },
    ready: () => Promise.resolve({ ok: true, problems: [] }),
    signal: new AbortController().signal,
  });

test('the date of the first start stays, and a database stays with its service', async () => {
  const first = new Date('2026-01-01');
  expect(await adopted('https://one.example', first)).toEqual(first);
  expect(await adopted('https://one.example', new Date('2026-02-01'))).toEqual(first);
  expect(await adopted('https://one.example')).toEqual(first);
  await expect(adopted('https://other.example')).rejects.toThrow(
    'given "https://other.example", but this database holds the records of "https://one.example"',
  );
  expect(await database.db('installation').pluck('adopted_at')).toEqual([first]);
});
