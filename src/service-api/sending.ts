import type { WriteProgress } from './attempt.js';

/** A call that writes, ready to be sent. */
export interface Sending {
  path?: Readonly<Record<string, string>>;
  body?: string | undefined;
  idempotencyKey?: string | undefined;
  once?: boolean;
  isTooLate?: (() => boolean) | undefined;
  progress: WriteProgress;
  signal?: AbortSignal | undefined;
}

/** A request as it was sent. */
export interface SentRequest {
  path: Readonly<Record<string, string>>;
  body?: string | undefined;
}
