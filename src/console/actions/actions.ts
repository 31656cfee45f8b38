import type { Action } from '../page.js';
import { assignRefundAction } from './assign-refund.js';
import { attributeResidual } from './attribute-residual.js';
import { closeNeverthelessAction, closePeriodAction, reopenPeriodAction } from './close-period.js';
import { acknowledgeAlert, silenceAlert } from './decide-alert.js';
import { acknowledgeBreak, assignBreak, ofCauses, resolveBreak, writeOffBreak } from './decide-break.js';
import { approveDecision, refuseDecision, withdrawDecision } from './decide-decision.js';
import { decidePicked } from './decide-picked.js';
import { markSettlementAction } from './mark-settlement.js';
import { rebookAttributionAction } from './rebook-attribution.js';
import { recoverDeliveries } from './recover-deliveries.js';
import { replayCallbackAction, replayDeadCallbacksAction, replayEvent } from './replay.js';
import { replayPicked } from './replay-picked.js';
import { restoreSecretAction, retireSecretAction, secretLeakedAction } from './retire-secret.js';
import { runChecks } from './run-checks.js';
import { startRun } from './start-run.js';
import { verifySealsAction } from './verify-seals.js';

/** Every action: routes and the tests that try each without the right to it come from here. */
export const actions: readonly Action[] = [
  replayEvent,
  replayPicked,
  replayCallbackAction,
  replayDeadCallbacksAction,
  attributeResidual,
  rebookAttributionAction,
  assignRefundAction,
  markSettlementAction,
  recoverDeliveries,
  ...ofCauses,
  decidePicked,
  acknowledgeBreak,
  assignBreak,
  resolveBreak,
  writeOffBreak,
  closePeriodAction,
  closeNeverthelessAction,
  reopenPeriodAction,
  approveDecision,
  refuseDecision,
  withdrawDecision,
  startRun,
  retireSecretAction,
  secretLeakedAction,
  restoreSecretAction,
  acknowledgeAlert,
  silenceAlert,
  runChecks,
  verifySealsAction,
];
