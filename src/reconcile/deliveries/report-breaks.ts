import type { HistoryKnown } from '../../domain/deliveries/report-standing.js';
import { MOST_SINGLE } from '../../records/breaks/bound-reported.js';
import type { NewBreak } from '../../records/breaks/breaks.js';
import type { UnmatchedReport } from '../../records/deliveries/report-checks.js';
import type { ReportEvidence } from '../../records/deliveries/report-evidence.js';
import type { Contract } from '../../service-api/contract.js';
import type { RunContext } from '../deps.js';

/** Where the history lacks test sends, one break for each secret counts what may be some of them. */
export function mostSingle({ deliveries }: Contract): number {
  return deliveries.testSends === 'unlisted' ? 0 : MOST_SINGLE;
}

interface Single {
  own: readonly UnmatchedReport[];
  evidence: ReadonlyMap<string, ReportEvidence>;
  known: HistoryKnown;
}

/** One for each event. */
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
        theirs: {
          historyReadAt: new Date(known.readAt).toISOString(),
          knownSince: new Date(known.from).toISOString(),
        },
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
          events: String(own.length),
          some: own.slice(0, 5).map(({ id }) => `event ${id}`),
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
