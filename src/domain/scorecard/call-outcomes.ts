/** How an attempt of a call ended. `limited`: 429; `refused`: any other 4xx; `failed`: 5xx, or an answer that is none. */
export const callOutcomes = ['answered', 'refused', 'limited', 'failed', 'no_answer'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

export function outcomeOf(status: number | 'no_answer'): CallOutcome {
  if (status === 'no_answer') return 'no_answer';
  if (status === 429) return 'limited';
  if (status >= 200 && status < 300) return 'answered';
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : 'failed';
}

/** The share of attempts that the service answered, as a percentage with two digits, rounded down; null: there were none. */
export function availabilityOf(counts: Readonly<Partial<Record<CallOutcome, number>>>): string | null {
  const all = callOutcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0);
  if (all === 0) return null;
  const down = (counts.failed ?? 0) + (counts.no_answer ?? 0);
  return (Math.floor(((all - down) / all) * 10_000) / 100).toFixed(2);
}
