import { expect, it } from 'vitest';
import { rejectionsByReason } from '../../../src/records/alerts/list-rejections.js';
import { saveRejections } from '../../../src/records/inbox/rejections.js';
import { testConsole } from '../../support/console.js';
import { visit } from '../../support/console-visit.js';
import { useDatabase } from '../../support/database.js';

const database = useDatabase();
const NOW = new Date('2026-03-09T10:30:00Z');
const minute = (at: string) => new Date(`2026-03-0${at}:00Z`);

it('rejections of one reason are one line: all there are by the hour, the first and the last, and their causes', async () => {
  const { db } = database;
  const sample = (diagnosis: string | null) => ({
    reason: 'invalid_signature',
    detail: 'd',
    diagnosis,
    bodySize: 0,
    bodyHash: 'h',
    firstBytes: Buffer.from(''),
    rejectedAt: minute('9T10:05'),
    likeService: true,
  });
  const samples = ['a secret without its prefix', 'a secret without its prefix', 'another body', null].map(sample);
  const counted = (at: string, count: number, reason = 'invalid_signature') => {
    return { minute: minute(at), reason, count, likeService: 0 };
  };
  const second = (at: string) => new Date(`2026-03-0${at}Z`);
  const between = (at: string, first: string, last: string) => {
    return { ...counted(at, 0), firstAt: second(`${at}:${first}`), lastAt: second(`${at}:${last}`) };
  };
  await saveRejections(db, [], [between('4T00:01', '07.250', '41'), between('9T10:05', '07', '41')]);
  await saveRejections(db, [], [between('4T00:01', '09', '43'), between('9T10:05', '09', '43.500')]);
  await saveRejections(db, samples, [
    counted('1T10:29', 7),
    counted('4T00:01', 5),
    counted('8T10:45', 1),
    counted('8T11:59', 20),
    counted('9T10:00', 300),
    counted('9T10:05', 700),
    counted('9T09:00', 2, 'missing_signature'),
  ]);
  const [first, other] = await rejectionsByReason(db, NOW);
  expect(first).toMatchObject({ reason: 'invalid_signature', week: 1_026, day: 1_021 });
  expect([first?.firstAt, first?.lastAt]).toEqual([second('4T00:01:07.250'), second('9T10:05:43.500')]);
  expect(first?.hours).toEqual([20, ...Array(22).fill(0), 1_000]);
  expect(first?.causes).toEqual([
    { cause: 'a secret without its prefix', samples: 2 },
    { cause: 'another body', samples: 1 },
  ]);
  expect(other?.hours.at(-2)).toBe(2);

  const page = await (await visit(testConsole(db, { now: () => NOW }).app, 'viewer')).get('/rejections');
  expect(page.text).toContain('a secret without its prefix (2 of 3 samples)');
  expect(page.main).toContain('aria-label="Rejected in each of the last 24 hours: 20, 0,');
  expect(page.main).toContain('at most 1000.');
});
