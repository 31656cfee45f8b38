import type { Knex } from 'knex';
import { pointsAtSecret } from '../../domain/deliveries/report-standing.js';
import { autoResolveBreaks, type BreakRef, openBreaks, renewEvidence } from '../../records/breaks/breaks.js';
import { besideLacking, someLacking } from '../../records/deliveries/leaked-secrets.js';
import { isSecretInDoubt } from '../../records/deliveries/not-sent.js';
import type { RunContext } from '../deps.js';

const MOST_NAMED = 5;

/** So much lacks that the history may be at fault. */
export interface Differing {
  lacking: number;
  matched: number;
  since: Date;
  counts: ReadonlyMap<string, number>;
}

/**
 * One finding, which counts, and says some of what lacks. Critical where all of it is under one secret and the history has
 * everything else. What a person decided holds until another event is missing. Returns how many breaks were opened.
 */
export async function openDiffers(trx: Knex.Transaction, run: RunContext, found: Differing): Promise<number> {
  const { lacking, matched, since, counts } = found;
  const some = await someLacking(trx, since, MOST_NAMED);
  const differs = {
    ...differsBreak(run),
    severity: (await isUnderOne(trx, found)) ? ('critical' as const) : ('high' as const),
    cause: some[0] ?? '',
    evidence: {
      ours: {
        lacking: String(lacking),
        judged: `${lacking + matched} or more`,
        since: since.toISOString(),
        bySecret: Object.fromEntries([...counts].map(([label, n]) => [label, String(n)])),
        some: some.map((id) => `event ${id}`),
        now: 'tallyhook secrets status',
      },
      source: { ...run.source },
    },
  };
  const opened = await openBreaks(trx, [differs]);
  await renewEvidence(trx, differs);
  return opened;
}

/** It ends with a poll that lacks no more; one that points at a secret only when none of what it counts lacks. */
export async function endDiffers(trx: Knex.Transaction, run: RunContext): Promise<void> {
  if (!(await isSecretInDoubt(trx))) await autoResolveBreaks(trx, [differsBreak(run)]);
}

async function isUnderOne(trx: Knex.Transaction, { lacking, since, counts }: Differing): Promise<boolean> {
  const [label, ...others] = counts.keys();
  if (label === undefined || others.length > 0) return false;
  return pointsAtSecret({ lacking, ...(await besideLacking(trx, { label, since })) });
}

/** What is the same of an account has one break, by our address. */
function differsBreak({ deps: { settings } }: RunContext): BreakRef {
  return { kind: 'history_differs', entity: { kind: 'endpoint', id: settings.publicUrl ?? settings.webhookPath } };
}
