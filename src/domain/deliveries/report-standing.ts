/** What is known of the delivery history; times in ms of the service's clock. */
export interface HistoryKnown {
  /** What was sent since then must be in it. */
  from: number;
  /** When the newest complete poll began. */
  readAt: number;
}

export interface HistoryPoll {
  /** Every delivery down to `downTo`, or to the end of the list, was shown. */
  complete: boolean;
  readAt: number;
  /** Null: to the end of the list. */
  downTo: number | null;
  /** When the oldest delivery was made that it showed; null: it showed none. */
  oldest: number | null;
  /** Deliveries from before that are known here: the list has lost them, and maybe others. */
  hasLost: boolean;
}

/** A retry that is stamped anew comes so long after its delivery was made at most. */
export const LONGEST_RETRY_MS = 3 * 86_400_000;

/**
 * What is known after one more scan. One that is not complete proves nothing. A list that ends before the poll before
 * it began may have lost what lay between: then only what the new one shows is known. What was never seen to lose anything is
 * taken to begin with its oldest delivery.
 */
export function knownAfter(before: HistoryKnown | null, poll: HistoryPoll): HistoryKnown | null {
  if (!poll.complete) return before;
  const { readAt, downTo, oldest, hasLost } = poll;
  const reached = downTo ?? oldest ?? readAt;
  const from = downTo === null && !hasLost ? reached : reached + LONGEST_RETRY_MS;
  const goesOn = before !== null && reached <= before.readAt;
  return { from: goesOn ? Math.min(before.from, from) : from, readAt };
}

export interface ReportFacts {
  /** ms of the service's clock. */
  arrivedAt: number;
  /** The history has it, or had it once. */
  matched: boolean;
  /** The service listed the endpoint of its secret after the poll. */
  endpointListed: boolean;
}

/** `unmatched`: the history lacks it so far, or does not say. */
export type ReportStanding = 'matched' | 'unmatched' | 'not_sent';

/** Whether the service sent it, as far as its delivery history says. */
export function standingOf(
  { arrivedAt, matched, endpointListed }: ReportFacts,
  { known, graceMs }: { known: HistoryKnown | null; graceMs: number },
): ReportStanding {
  if (matched) return 'matched';
  const mustHaveIt = known !== null && known.from < arrivedAt && arrivedAt + Math.max(0, graceMs) < known.readAt;
  return mustHaveIt && endpointListed ? 'not_sent' : 'unmatched';
}

/** A shop so quiet that one forged event is more than the share can't be distinguished from a history that differs. */
const LEAST_CLASSIFIED = 20;
/** More than somebody tries by hand; up to it each is named, however few are classified. */
const HANDFUL = 5;
/** One in a hundred: a history that leaves something out leaves out more. */
const SHARE = 100;

/** So many matched ones have to be counted at most to say whether the history differs. */
export const matchedToCount = (lacking: number): number => Math.max(LEAST_CLASSIFIED, lacking * SHARE);

/** So many of the classified reports of a day lack that the history itself must differ from what was sent. */
export function historyDiffers({ lacking, matched }: { lacking: number; matched: number }): boolean {
  const classified = lacking + matched;
  return lacking > HANDFUL && classified >= LEAST_CLASSIFIED && lacking * SHARE > classified;
}

/** A history that leaves out the same share of everything would have left so many out of the others. */
const CLEAR = 5;
/** So many of the others have to be counted at most to say whether it points at the secret. */
export const OTHERS_TO_COUNT = CLEAR * (SHARE + 1);

export interface UnderOneSecret {
  lacking: number;
  /** What the history has under that secret since the first that lacks. */
  matched: number;
  /** What it has under other secrets, and from before. */
  others: number;
}

/** The history has everything else, so that the secret is to be doubted before the history is. */
export function pointsAtSecret({ lacking, matched, others }: UnderOneSecret): boolean {
  return lacking > 0 && others * lacking >= CLEAR * (lacking + matched);
}
