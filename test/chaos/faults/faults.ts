import type { FaultName } from '../plan.js';
import { badBodies, bodies, duplicates, forgedFlood, idle, slowloris } from './crowd-faults.js';
import type { Fault } from './disturb.js';
import { failOver, fillDisk, flushRedis, killRedis, killRoles, restartPostgres, stepClock } from './server-faults.js';
import { halfOpen, hang, refuse, resets, slowWay, toPostgres, toRedis } from './way-faults.js';

export const faults: Record<FaultName, Fault> = {
  'kill serve': killRoles('serve'),
  'kill work': killRoles('work'),
  'kill schedule': killRoles('schedule'),
  'kill all': killRoles('serve', 'work', 'schedule'),
  'postgres restarts, fast': restartPostgres('fast'),
  'postgres restarts, immediate': restartPostgres('immediate'),
  'postgres fails over': failOver,
  'postgres disk full': fillDisk,
  'postgres slow': slowWay(toPostgres),
  'postgres refuses': refuse(toPostgres),
  'postgres hangs': hang(toPostgres),
  'postgres half open': halfOpen(toPostgres),
  'postgres resets': resets(toPostgres),
  'redis killed': killRedis,
  'redis flushed': flushRedis,
  'redis slow': slowWay(toRedis),
  'redis refuses': refuse(toRedis),
  'redis hangs': hang(toRedis),
  'redis half open': halfOpen(toRedis),
  'redis resets': resets(toRedis),
  'clock ahead': stepClock(1),
  'clock behind': stepClock(-1),
  'storm of duplicates': duplicates,
  'storm of bodies': bodies,
  slowloris,
  'idle connections': idle,
  'forged flood': forgedFlood,
  'bad bodies': badBodies,
};
