import type { GatedAction } from '../../domain/two-people.js';
import { attributing } from './attributing.js';
import { importing, marking, writingOff } from './money-decisions.js';
import { closing, reopening } from './period-decisions.js';
import { rebooking } from './rebooking.js';

/** What two people decide, each as the audit names it. */
export const decisionKinds = {
  'attribute balance': attributing,
  'rebook attribution': rebooking,
  'write off break': writingOff,
  'import rates': importing,
  'mark settlement': marking,
  'close period': closing,
  'reopen period': reopening,
} as const satisfies Readonly<Record<GatedAction, unknown>>;
