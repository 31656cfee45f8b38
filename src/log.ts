import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/** JSON lines on stderr (data belongs to stdout); pretty on a terminal. Secrets are never passed to it. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const stream = destination ?? (process.stderr.isTTY ? pretty({ destination: 2, sync: true }) : pino.destination(2));
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}
