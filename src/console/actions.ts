import type { Action } from './action.js';
import { assignRefundAction } from './actions/assign-refund.js';
import { attributeResidual } from './actions/attribute-residual.js';
import { closeNeverthelessAction, closePeriodAction, reopenPeriodAction } from './actions/close-period.js';
import { acknowledgeBreak, resolveBreak, writeOffBreak } from './actions/decide-break.js';
import { recoverDeliveries } from './actions/recover-deliveries.js';
import { replayCallbackAction, replayDeadCallbacksAction } from './actions/replay-callback.js';
import { replayEvent } from './actions/replay-event.js';
import { restoreSecretAction, retireSecretAction, secretLeakedAction } from './actions/retire-secret.js';
import { runChecks } from './actions/run-checks.js';
import { startRun } from './actions/start-run.js';
import { verifySealsAction } from './actions/verify-seals.js';

/** Every action: routes and the tests that try each without the right to it come from here. */
export const actions: readonly Action[] = [
  replayEvent,
  replayCallbackAction,
  replayDeadCallbacksAction,
  attributeResidual,
  assignRefundAction,
  recoverDeliveries,
  acknowledgeBreak,
  resolveBreak,
  writeOffBreak,
  closePeriodAction,
  closeNeverthelessAction,
  reopenPeriodAction,
  startRun,
  retireSecretAction,
  secretLeakedAction,
  restoreSecretAction,
  runChecks,
  verifySealsAction,
];
