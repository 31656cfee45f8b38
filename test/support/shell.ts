import type { TestDatabase } from './database.js';
import { useFolder } from './folder.js';
import { runHere } from './run-here.js';

/** Where no service answers. */
export const NO_SERVICE = 'http://127.0.0.1:9';

/** A shell in a folder of its own: runs verbs of the program over the database, which say nothing in the log; `settings` come on top. */
export function useShell(database: Pick<TestDatabase, 'url'>, settings: () => Record<string, string> = () => ({})) {
  const cwd = useFolder();
  return async (...words: string[]) => {
    const env = {
      DATABASE_URL: database.url,
      SERVICE_BASE_URL: NO_SERVICE,
      SERVICE_API_KEY: 'none',
      LOG_LEVEL: 'silent',
      ...settings(),
    };
    const outcome = await runHere(words, { cwd, env });
    const isObject = outcome.stdout.startsWith('{');
    return { ...outcome, json: isObject ? JSON.parse(outcome.stdout) : null };
  };
}
