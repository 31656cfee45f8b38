import type { Actor } from '../domain/console-roles.js';
import type { Request } from '../finance/decisions/decision-kind.js';
import { type AskResult, askDecision } from '../finance/decisions/decisions.js';
import type { ClosingDeps } from '../finance/periods/close-period.js';
import type { ApiDeps } from './api-deps.js';

type Deps = Pick<ApiDeps, 'db' | 'log' | 'books' | 'fourEyes'> & { now?: () => Date };

/** What closing a month, and whatever else of the books two people decide, needs. */
export async function closingDeps({ db, log, books, now = () => new Date() }: Deps): Promise<ClosingDeps> {
  return { ...books, chart: await books.chart(), db, log, now };
}

/** The one gate of pages and read API. Null: it is to be done at once. */
export async function askFirst(deps: Deps, request: Request | null, actor: Actor): Promise<AskResult | null> {
  if (!deps.fourEyes || request === null) return null;
  const result = await askDecision(await closingDeps(deps), request, actor);
  const about = { actor: actor.name, action: request.action, outcome: result.outcome };
  deps.log.info(about, 'console action');
  return result;
}
