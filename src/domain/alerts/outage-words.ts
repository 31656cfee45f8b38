import { duration, minuteOf } from '../in-words.js';
import { lateSeconds } from './condition.js';
import type { AlertFacts, Outage } from './facts.js';

/** Codes of errors, as runs keep them. */
export const SERVICE_AWAY = ['service_unavailable', 'service_circuit_open'] as const;
export const KEY_REFUSED = 'service_unauthorized';

/** So many runs in a row say that it is the service: one alone may be of a list that fails by itself. */
export const AWAY_RUNS = 2;

/** So many attempts in a row, of one operation alone for so long: that no connection comes about is no operation's own. */
export const AWAY_ATTEMPTS = 3;
const AWAY_SECONDS = 60;

/** Whether the service is away, rather than one of its lists. */
export function isAway(outage: Outage | null): outage is Outage {
  if (outage?.why !== 'away') return false;
  const { runs, attempts, operations, seconds, error } = outage;
  const isOfAll = operations > 1 || seconds >= AWAY_SECONDS || networkCode(error) !== undefined;
  return runs >= AWAY_RUNS || (attempts >= AWAY_ATTEMPTS && isOfAll);
}

/** Since when the service has not answered, where that is too long to say what holds now; null: it answered lately, or nothing is noted. */
export function unansweredWords({
  outage,
  answeredSeconds: seconds,
}: Pick<AlertFacts, 'outage' | 'answeredSeconds'>): string | null {
  if (isAway(outage)) return `the service does not answer since ${minuteOf(outage.since)} UTC`;
  return isSilent(seconds) ? `the service answered last ${duration(seconds)} ago` : null;
}

export const isSilent = (answeredSeconds: number | null): answeredSeconds is number =>
  answeredSeconds !== null && answeredSeconds > lateSeconds.answer;

const ACCEPTS = 'once the service accepts our key';
const ANSWERS = 'once the service answers again';

/** What keeps what asks the service from working, and until when; null: it can be asked. */
export function hindranceOf({ outage }: Pick<AlertFacts, 'outage'>): { name: string; until: string } | null {
  if (outage?.why === 'refused') return { name: 'KeyRefused', until: ACCEPTS };
  return isAway(outage) ? { name: 'TallyhookServiceAway', until: ANSWERS } : null;
}

const ASKING = /“tallyhook (?:deliveries recover|reconcile)\b[^”]*”/g;

/** Whether a remedy has a command that asks the service. */
export const asksService = (remedy: string): boolean => remedy.search(ASKING) >= 0;

/** A remedy that says from when on each of its commands works. */
export function asOfNow(remedy: string, facts: Pick<AlertFacts, 'outage'>): string {
  const hindrance = hindranceOf(facts);
  if (hindrance === null || remedy.includes(hindrance.until)) return remedy;
  return remedy.replaceAll(ASKING, `${hindrance.until}, $&`);
}

/** Since when, what fails and how, and whether webhooks come. */
export function outageWords({ since, what, error, webhookAt }: Outage): string {
  const comes =
    webhookAt !== null && webhookAt >= since ? 'Webhooks still arrive' : 'No webhook has arrived since then';
  return `The payment service does not answer since ${minuteOf(since)} UTC: ${what} ${failureWords(error)}. ${comes}.`;
}

/** How a call failed, in words; its error is as runs keep it. */
export function failureWords(error: string): string {
  const [, status] = /\bstatus (\d{3})\b/.exec(error) ?? [];
  if (status !== undefined) return `fail with ${status}`;
  const code = networkCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `fail: DNS does not know its name (${code})`;
  if (code?.includes('CERT')) return `fail: its certificate is not accepted (${code})`;
  if (code !== undefined) return `fail: no connection (${code})`;
  const [, ms] = /within (\d+) ms/.exec(error) ?? [];
  return ms === undefined ? 'fail' : `get no answer within ${Math.round(Number(ms) / 1_000)} s`;
}

/** Why the service was not read, and when to ask again; `error` is as runs keep it. */
export function unreadWords({ outage }: Pick<AlertFacts, 'outage'>, error: string | null): string {
  const began = (...codes: readonly string[]) => codes.some((code) => error?.startsWith(`${code}: `));
  if (began(KEY_REFUSED)) return `the service refuses our key. Run it again ${ACCEPTS}`;
  if (error !== null && began(...SERVICE_AWAY)) {
    const why = unansweredWords({ outage, answeredSeconds: null }) ?? `calls of the service ${failureWords(error)}`;
    return `${why}. Run it again ${ANSWERS}`;
  }
  return error ?? 'it was not read to its end';
}

const networkCode = (error: string): string | undefined => /\(([A-Z][A-Z_]+)\)/.exec(error)?.[1];
