import { countLeftBodies, cutoffOf } from '../../records/retention/apply-retention.js';
import { retentionState } from '../../records/retention/retention-state.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

const NAME = 'retention';
const LATE_MS = 3 * 86_400_000;

/** When what is old was last let go of, and what of it had to stay. */
export async function checkRetention({ db, config, now }: DoctorParts): Promise<Check[]> {
  const { finishedAt, unfinished } = await retentionState(db);
  if (finishedAt === null) {
    return [unknown(NAME, 'has not been through everything yet', 'tallyhook schedule does it, once a day')];
  }
  const { received, failed, dead } = await countLeftBodies(db, cutoffOf(now(), config.RETENTION_BODY_DAYS));
  const left = received + failed + dead;
  const stays = left === 0 ? '' : `; ${left} bodies stay, because their events are not applied`;
  const found = `last finished at ${finishedAt.toISOString()}${stays}`;
  if (now().getTime() - finishedAt.getTime() > LATE_MS) {
    const where = unfinished.length === 0 ? '' : `, unfinished: ${unfinished.join(', ')}`;
    return [finding(NAME, `${found}${where}`, 'see that tallyhook schedule runs, and what its log says')];
  }
  if (left > 0) return [finding(NAME, found, 'tallyhook events list --status dead, then events replay ID')];
  return [ok(NAME, found)];
}
