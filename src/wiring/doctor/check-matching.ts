import { matchBehind } from '../../records/books/match/match-progress.js';
import { type Check, type DoctorParts, finding, ok } from './check.js';

const NAME = 'matching';
/** It follows the posting, which is every minute. */
const LATE_MS = 30 * 60_000;

/** Whether the three-way match follows the records. */
export async function checkMatching({ db, now }: Pick<DoctorParts, 'db' | 'now'>): Promise<Check[]> {
  const behindSince = await matchBehind(db);
  if (behindSince === null) return [ok(NAME, 'level with the records')];
  const found = `changes of records since ${behindSince} are not matched yet`;
  if (now().getTime() - Date.parse(behindSince) <= LATE_MS) return [ok(NAME, found)];
  return [finding(NAME, found, 'see that tallyhook schedule runs, and what its log says')];
}
