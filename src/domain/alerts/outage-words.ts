import { minuteOf } from '../in-words.js';
import type { Outage } from './facts.js';

/** Codes of errors, as runs keep them. */
export const SERVICE_AWAY = ['service_unavailable', 'service_circuit_open'] as const;
export const KEY_REFUSED = 'service_unauthorized';

/** So many runs in a row say that it is the service: one alone may be of a list that fails by itself. */
const AWAY_RUNS = 2;

/** Whether the service is away, rather than one of its lists. */
export function isAway(outage: Outage | null): outage is Outage {
  return outage?.why === 'away' && outage.runs >= AWAY_RUNS;
}

/** Since when, what fails and how, and whether webhooks come. */
export function outageWords({ since, kinds, error, webhookAt }: Outage): string {
  const comes =
    webhookAt !== null && webhookAt >= since ? 'Webhooks still arrive' : 'No webhook has arrived since then';
  return `The payment service does not answer since ${minuteOf(since)} UTC: reads of ${kinds.join(', ')} ${failureWords(error)}. ${comes}.`;
}

/** How a call failed, in words; its error is as runs keep it. */
function failureWords(error: string): string {
  const [, status] = /\bstatus (\d{3})\b/.exec(error) ?? [];
  if (status !== undefined) return `fail with ${status}`;
  const [, code] = /\(([A-Z][A-Z_]+)\)/.exec(error) ?? [];
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `fail: DNS does not know its name (${code})`;
  if (code?.includes('CERT')) return `fail: its certificate is not accepted (${code})`;
  if (code !== undefined) return `fail: no connection (${code})`;
  const [, ms] = /within (\d+) ms/.exec(error) ?? [];
  return ms === undefined ? 'fail' : `get no answer within ${Math.round(Number(ms) / 1_000)} s`;
}
