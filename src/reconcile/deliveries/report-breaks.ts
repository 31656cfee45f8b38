import { type HistoryKnown, pointsAtSecret } from '../../domain/deliveries/report-standing.js';
import { MOST_SINGLE } from '../../records/breaks/bound-reported.js';
import {
  autoResolveBreaks,
  type BreakRef,
  type NewBreak,
  openBreaks,
  renewEvidence,
} from '../../records/breaks/breaks.js';
import type { Trx } from '../../records/database/statements.js';
import { besideLacking, someLacking } from '../../records/deliveries/leaked-secrets.js';
import { isSecretInDoubt } from '../../records/deliveries/not-sent.js';
import type { ReportEvidence, UnmatchedReport } from '../../records/deliveries/report-checks.js';
import type { Contract } from '../../service-api/contract.js';
import type { RunContext } from '../deps.js';

const MOST_NAMED = 5;

/** Where the history lacks test sends, one break for each secret counts what may be some of them. */
export const mostSingle = ({ deliveries }: Contract): number => (deliveries.testSends === 'unlisted' ? 0 : MOST_SINGLE);

interface Single {
  own: readonly UnmatchedReport[];
  evidence: ReadonlyMap<string, ReportEvidence>;
  known: HistoryKnown;
}

export function singleBreaks(run: RunContext, { own, evidence, known }: Single): NewBreak[] {
  return own.map(({ id, secretLabel, receivedAt, otherContent }) => {
    const event = evidence.get(id);
    return {
      kind: 'event_not_sent',
      entity: { kind: 'event', id },
      evidence: {
        reason: otherContent ? 'other_content' : 'not_listed',
        ours: {
          eventType: event?.eventType ?? null,
          key: event?.key ?? null,
          secret: secretLabel,
          receivedAt: receivedAt.toISOString(),
          names: event?.names ?? {},
        },
        theirs: { historyReadAt: new Date(known.readAt).toISOString(), knownSince: new Date(known.from).toISOString() },
        ...testSend(run),
        source: { ...run.source },
      },
    };
  });
}

/** One for each secret, of those that have none of their own. A person's decision holds for the day. */
export function countBreaks(run: RunContext, rest: readonly UnmatchedReport[], now: Date): NewBreak[] {
  const labels = [...new Set(rest.map(({ secretLabel }) => secretLabel))];
  return labels.map((label) => {
    const own = rest.filter(({ secretLabel }) => secretLabel === label);
    return {
      kind: 'event_not_sent',
      entity: { kind: 'secret', id: label },
      cause: now.toISOString().slice(0, 10),
      evidence: {
        reason: 'many',
        ours: {
          secret: label,
          events: String(own.length),
          some: own.slice(0, MOST_NAMED).map(({ id }) => `event ${id}`),
          now: 'tallyhook secrets status',
        },
        ...testSend(run),
        source: { ...run.source },
      },
    };
  });
}

/** The specification says of a test send only that it looks like a real event (6.1). */
function testSend({ deps: { contract } }: RunContext): { mayBe?: string } {
  const { testSends } = contract.deliveries;
  return testSends === 'listed' ? {} : { mayBe: 'a test send of the dashboard, if the history lacks those' };
}

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
export async function openDiffers(trx: Trx, run: RunContext, found: Differing): Promise<number> {
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
export async function endDiffers(trx: Trx, run: RunContext): Promise<void> {
  if (!(await isSecretInDoubt(trx))) await autoResolveBreaks(trx, [differsBreak(run)]);
}

async function isUnderOne(trx: Trx, { lacking, since, counts }: Differing): Promise<boolean> {
  const [label, ...others] = counts.keys();
  if (label === undefined || others.length > 0) return false;
  return pointsAtSecret({ lacking, ...(await besideLacking(trx, { label, since })) });
}

/** What is the same of an account has one break, by our address. */
function differsBreak({ deps: { settings } }: RunContext): BreakRef {
  return { kind: 'history_differs', entity: { kind: 'endpoint', id: settings.publicUrl ?? settings.webhookPath } };
}
