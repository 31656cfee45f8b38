import { UsageError } from '../errors.js';
import type { Request } from '../finance/decisions/decision-kind.js';
import { askDecision } from '../finance/decisions/decisions.js';
import type { ClosingDeps } from '../finance/periods/close-period.js';
import { isAtWork } from '../records/alerts/process-settings.js';
import { EXIT_FINDINGS, printNote, printResult } from './print.js';
import { cliPerson, type Store } from './with-store.js';

type Deps = Pick<Store, 'db' | 'log' | 'config' | 'books'>;

export async function closingDeps({ db, log, books }: Omit<Deps, 'config'>): Promise<ClosingDeps> {
  return { ...(await books()), db, log, now: () => new Date() };
}

/**
 * The gate of the command line: whether it was asked of another person, and is not to be done now. A process that has FOUR_EYES on counts as
 * well. A dry run only says that it would be asked.
 */
export async function asksFirst(
  store: Deps,
  request: Request | null,
  { json = false, dryRun = false }: { json?: boolean; dryRun?: boolean },
): Promise<boolean> {
  const isOn = store.config.FOUR_EYES || (await isAtWork(store.db, 'FOUR_EYES', 'on'));
  if (!isOn || request === null) return false;
  if (dryRun) {
    printNote('FOUR_EYES is on: it would be done only after another person’s approval.');
    return false;
  }
  const result = await askDecision(await closingDeps(store), request, cliPerson());
  if (result.outcome === 'refused') throw new UsageError(`Nothing was asked for: ${result.why}.`);
  printResult(json, result.decision, result.message);
  process.exitCode = EXIT_FINDINGS;
  return true;
}
