import type { Run } from '../records/runs.js';
import type { Kind, ReconcileDeps } from './deps.js';

export interface RunOptions {
  kind: Kind;
  /** Also reads the whole list again, whatever is due. */
  full: boolean;
  /** Also reads again what was created since. */
  since?: Date;
  /** Reads and tells what would change; writes nothing, not even a run. */
  dryRun?: boolean;
  /** Goes on with a full reading that an earlier run left unfinished, instead of starting it over. */
  resume?: boolean;
  signal?: AbortSignal;
  /** How long to wait for a run of the same kind elsewhere. Default 10 minutes. */
  lockTimeoutMs?: number;
  /** Called once when another run of the same kind is waited for. */
  onWaiting?: () => void;
}

/** One run of a reconciler. A failure of the service ends in a run that `failed`; it throws LockTimeoutError alone. */
export async function runReconcile(deps: ReconcileDeps, options: RunOptions): Promise<Run> {
  throw new Error(`not yet: ${options.kind} ${deps.adoptedAt.toISOString()}`);
}
