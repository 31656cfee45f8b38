import { counted, minuteOf } from '../in-words.js';
import { type AlertFacts, recoverCommand, type Sent, toRecover } from './facts.js';
import { hindranceOf } from './outage-words.js';

type Awaited = Pick<AlertFacts, 'awaited'>;
export const NOT_KNOWN: Awaited = { awaited: [] };

/** From the first that is not here, as far as the delivery history was read, and how many that takes in. */
export function recoverFrom(facts: Awaited): string {
  const { count, from } = toRecover(facts);
  const takes = count === 0 ? '' : ` takes in ${count}`;
  return `“${recoverCommand(from)}”${takes}`;
}

/** How many of all that are not made good recovery takes in, and what it leaves out and why, in words; null: it takes in all. */
export function partlyRecovered(facts: Awaited): { share: string; others: string } | null {
  const sum = (of: 'awaited' | 'recovered') => facts.awaited.reduce((all, one) => all + one[of], 0);
  const [all, recovered, { count }] = [sum('awaited'), sum('recovered'), toRecover(facts)];
  const rest = all - recovered - count;
  if (all === count) return null;
  const others = [
    ...(recovered > 0 ? [`${counted(recovered, 'is', 'are')} recovered and not applied yet`] : []),
    ...(rest > 0 ? [`of ${rest} the service shows no payload, or not when they were sent`] : []),
  ];
  return { share: `${count} of ${all}`, others: others.join('; ') };
}

/** Beside so many that are missed: how many can be recovered, and from when on. */
export function canRecover(facts: Pick<AlertFacts, 'awaited' | 'outage'>, missed: number): string {
  const part = partlyRecovered(facts);
  const { count } = toRecover(facts);
  const when = hindranceOf(facts)?.until ?? 'now';
  if (part !== null && count === 0) return ` None of them can be recovered: ${part.others}.`;
  if (part !== null) return ` ${part.share}, overdue or not, can be recovered ${when}: ${part.others}.`;
  return count > missed ? ` With those that are not overdue yet, ${count} can be recovered ${when}.` : '';
}

/** Whether to recover is what a remedy asks for first. */
export const isToRecover = (remedy: string): boolean => remedy.startsWith('Recover ');

/** Remedies that end with it. */
export const recoverRejected = (facts: Awaited): string => `Recover what was rejected: ${recoverFrom(facts)}.`;

/** Behind what is to be done first. */
export const thenRecoverRejected = (facts: Awaited): string => `Then recover what was rejected: ${recoverFrom(facts)}.`;

export const startPart = (facts: Awaited): string =>
  `Start it: “tallyhook serve” is the receiver, “tallyhook work” the worker; the last lines that it logged say why it ended. Then recover what was sent meanwhile: ${recoverFrom(facts)}.`;

export const removeImpostor = (facts: Awaited): string =>
  `Look at what answers at WEBHOOK_PUBLIC_URL: a proxy’s default page, an old deployment, a tunnel. Try it from outside: “tallyhook trigger payment_intent.completed --url ADDRESS”. Then recover what was swallowed: ${recoverFrom(facts)}.`;

export function takeCauseAway(facts: Awaited): string {
  const first = 'Take the cause away that the page Missed deliveries names.';
  const isKnown = facts.awaited.some(({ missed }) => missed > 0);
  if (isKnown && toRecover(facts).count === 0) return `${first} Nothing is to be recovered.`;
  return `${first} Then recover them, there or by the command: ${recoverFrom(facts)}.`;
}

export const setClock = (facts: Awaited): string =>
  `Synchronize this machine’s clock (NTP); “tallyhook doctor” compares it with the service’s. If it is right, raise WEBHOOK_TOLERANCE_SECONDS. ${thenRecoverRejected(facts)}`;

/** When what is not here was sent: from when recovery is to begin. */
export function sentWords({ from, to }: Sent): string {
  if (from === null || to === null) return '';
  const first = minuteOf(from);
  return first === minuteOf(to)
    ? ` Sent at ${first} UTC.`
    : ` The first was sent at ${first} UTC, the newest at ${minuteOf(to)} UTC.`;
}
