import type { z } from 'zod';
import type { GatedAction } from '../../domain/two-people.js';
import type { Approval } from '../../records/actions/record-action.js';
import type { Trx } from '../../records/database/statements.js';
import type { ClosingDeps } from '../periods/close-period.js';

/** What a person would do at once were FOUR_EYES off. */
export interface Request {
  action: GatedAction;
  input: unknown;
  reason: string;
}

/** Who asked and why, and by which decision another person approved it. */
interface By {
  actor: string;
  reason: string;
  approval: Approval;
}

/** What it would come to now, and how it is done. `why`: it can't be, in a sentence. */
type Look =
  | { why: string }
  | {
      /** What must not have changed when it is approved. */
      facts: unknown;
      /** In lines, with the money. */
      preview: readonly string[];
      /** `done` false: nothing may be kept of it. */
      apply(trx: Trx, by: By): Promise<{ done: boolean; message: string }>;
    };

export interface DecisionKind<Input, Ready = ClosingDeps> {
  input: z.ZodType<Input>;
  /** Fixes what would be another thing on another day; left out: nothing would. */
  complete?(input: Input, deps: ClosingDeps): Input;
  /** As the audit names what it is done to. */
  subject(input: Input): string;
  /** Ahead of the transaction. */
  prepare(deps: ClosingDeps): Promise<Ready>;
  /** In a transaction that holds the locks of the books. */
  look(trx: Trx, input: Input, about: { ready: Ready; reason: string }): Promise<Look>;
  /** After it is committed: what else is to be said. */
  afterwards?(deps: ClosingDeps): Promise<string>;
}

export const asIs = async (deps: ClosingDeps): Promise<ClosingDeps> => deps;
