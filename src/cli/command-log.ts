import { environment } from '../config.js';
import { createLog, type Logger } from '../log.js';
import { printNote } from './print.js';

/** What somebody at a terminal waits for, by the log message that says it. */
const sentences: Readonly<Record<string, string>> = {
  'call retried': 'The service is slow to answer, or gives no good answer: trying again.',
};

/** The log of a command that ends. On a terminal it has no lines where nobody asked for them by LOG_LEVEL: a sentence, once, says why one waits. */
export function commandLog(level: string): Logger {
  const isAsked = (environment()['LOG_LEVEL'] ?? '') !== '';
  if (isAsked || !process.stderr.isTTY) return createLog(level);
  const said = new Set<string>();
  const write = (line: string) => {
    const sentence = sentences[(JSON.parse(line) as { msg?: string }).msg ?? ''];
    if (sentence === undefined || said.has(sentence)) return;
    said.add(sentence);
    // A line of progress may stand there.
    process.stderr.write('\r\u001b[K');
    printNote(sentence);
  };
  return createLog('warn', { write });
}
