import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { plainJson, plainText } from './domain/plain-text.js';

export type { Logger };

/**
 * JSON lines on stderr (data belongs to stdout); pretty on a terminal. Secrets are never passed to it. What others wrote
 * can neither begin a line of its own nor drive the terminal that shows it.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const stream = destination ?? (process.stderr.isTTY ? prettyStream() : pino.destination(2));
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, hooks: { streamWrite: plainJson } }, stream);
}

function prettyStream(): DestinationStream {
  return pretty({ destination: 2, sync: true, messageFormat: (line, key) => plainText(String(line[key])) });
}
