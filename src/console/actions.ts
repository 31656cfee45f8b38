import type { Action } from './action.js';
import { attributeResidual } from './actions/attribute-residual.js';
import { replayEvent } from './actions/replay-event.js';

/** Every action: routes and the tests that try each without the right to it come from here. */
export const actions: readonly Action[] = [replayEvent, attributeResidual];
