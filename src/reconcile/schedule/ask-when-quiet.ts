import { AppError } from '../../errors.js';
import { logFailure, repeat } from '../../records/database/repeat.js';
import { lastCalls } from '../../records/service-notes.js';
import type { ReconcileDeps } from '../deps.js';

/** Two, as one list may fail by itself. */
const QUESTIONS = ['listPaymentIntents', 'listInvoices'] as const;
const TIMES = { quietMs: 20_000, lookMs: 5_000 };

interface Asked {
  signal: AbortSignal;
  /** Answers after calls that failed. */
  onReturn: () => void;
  /** So long without a call is quiet, and how often that is looked at. */
  times?: typeof TIMES;
}

/**
 * Asks the service for a row where the scheduler has called nothing for a while: that it stopped is known though nothing is
 * due. The answer counts as that of any other call. Until the signal; never throws.
 */
export async function askWhenQuiet(
  { db, client, log, now }: Pick<ReconcileDeps, 'db' | 'client' | 'log' | 'now'>,
  { signal, onReturn, times = TIMES }: Asked,
): Promise<void> {
  const began = now().getTime();
  const isAnswered = (operation: (typeof QUESTIONS)[number]) =>
    client.reply(operation, { query: { take: 1 }, signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof AppError) return false;
        throw error;
      },
    );
  await repeat({ signal, everyMs: times.lookMs, failed: logFailure(log, 'service not asked') }, async () => {
    const { attemptedAt, isFailing } = await lastCalls(db);
    if (now().getTime() - Math.max(attemptedAt ?? 0, began) < times.quietMs) return;
    for (const operation of QUESTIONS) {
      if (!(await isAnswered(operation))) continue;
      if (isFailing) onReturn();
      return;
    }
  });
}
