import { lateSeconds } from '../../domain/alerts/condition.js';
import { decidingSealCheck, unverifiedSeconds } from '../../records/audit/seal-checks.js';
import { sealState, unsealedText } from '../../records/audit/seal-state.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

const NAME = 'seals';
const SEE_SCHEDULE = 'see that tallyhook schedule runs, and what its log says';

/** Whether what is written is sealed in time, and whether all that is sealed was found as it was. */
export async function checkSealing({ db, now }: DoctorParts): Promise<Check[]> {
  const { newest, unsealed } = await sealState(db);
  const waiting = unsealed.filter(
    ({ oldestAt }) => oldestAt !== null && now().getTime() - Date.parse(oldestAt) > lateSeconds.seal * 1_000,
  );
  const rows = unsealed.reduce((sum, log) => sum + log.rows, 0);
  const head = newest === null ? 'nothing is sealed yet' : `the newest seal is ${newest.number} of ${newest.sealedAt}`;
  const found = `${head}; ${unsealedText(rows)} rows are not sealed yet`;
  const sealing =
    waiting.length === 0
      ? ok(NAME, found)
      : finding(
          NAME,
          `${found}, some of ${waiting.map(({ log }) => log).join(', ')} for longer than half an hour`,
          SEE_SCHEDULE,
        );
  return [sealing, await checkLast(db, now())];
}

async function checkLast(db: DoctorParts['db'], now: Date): Promise<Check> {
  const name = 'seals verified';
  const check = await decidingSealCheck(db);
  if (check === null) return unknown(name, 'they were never verified', 'tallyhook audit verify');
  const { finishedAt, rows, findings, firstFinding } = check;
  if (findings > 0)
    return finding(
      name,
      `at ${finishedAt}: ${findings} findings, first: ${firstFinding}`,
      'docs/runbook.md, “Seals are broken”',
    );
  const found = `at ${finishedAt} ${rows} rows were as they were sealed`;
  if ((await unverifiedSeconds(db, now)) > lateSeconds.verification)
    return finding(name, `${found}; all of them not for three days`, `tallyhook audit verify, and ${SEE_SCHEDULE}`);
  return ok(name, found);
}
