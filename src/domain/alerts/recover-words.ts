import { counted, minuteOf } from '../in-words.js';
import { type AlertFacts, recoverCommand, type Sent, toRecover } from './facts.js';

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

/** Beside so many that are missed. */
export function canRecover(facts: Awaited, missed: number): string {
  const part = partlyRecovered(facts);
  if (part !== null) return ` ${part.share}, overdue or not, can be recovered now: ${part.others}.`;
  const { count } = toRecover(facts);
  return count > missed ? ` With those that are not overdue yet, ${count} can be recovered now.` : '';
}

/** Remedies that end with it. */
export const recoverRejected = (facts: Awaited): string => `Recover what was rejected: ${recoverFrom(facts)}.`;

export const startPart = (facts: Awaited): string =>
  `Start it: “tallyhook serve” is the receiver, “tallyhook work” the worker; the last lines that it logged say why it ended. Then recover what was sent meanwhile: ${recoverFrom(facts)}.`;

export const removeImpostor = (facts: Awaited): string =>
  `Look at what answers at WEBHOOK_PUBLIC_URL: a proxy’s default page, an old deployment, a tunnel. Try it from outside: “tallyhook trigger payment_intent.completed --url ADDRESS”. Then recover what was swallowed: ${recoverFrom(facts)}.`;

export const takeCauseAway = (facts: Awaited): string =>
  `Take the cause away that the page Missed deliveries names. Then recover them, there or by the command: ${recoverFrom(facts)}.`;

export const setClock = (facts: Awaited): string =>
  `Synchronize this machine’s clock (NTP); “tallyhook doctor” compares it with the service’s. If it is right, raise WEBHOOK_TOLERANCE_SECONDS. Then recover what was rejected: ${recoverFrom(facts)}.`;

/** When what is not here was sent: from when recovery is to begin. */
export function sentWords({ from, to }: Sent): string {
  if (from === null || to === null) return '';
  const first = minuteOf(from);
  return first === minuteOf(to)
    ? ` Sent at ${first} UTC.`
    : ` The first was sent at ${first} UTC, the newest at ${minuteOf(to)} UTC.`;
}
