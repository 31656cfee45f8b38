import type { GatedAction } from '../../domain/two-people.js';
import { attributing } from './attributing.js';
import { importing, marking, writingOff } from './money-decisions.js';
import { closing, reopening } from './period-decisions.js';

/** What two people decide, each as the audit names it. */
export const decisionKinds = {
  'attribute balance': attributing,
  'write off break': writingOff,
  'import rates': importing,
  'mark settlement': marking,
  'close period': closing,
  'reopen period': reopening,
} as const satisfies Readonly<Record<GatedAction, unknown>>;
