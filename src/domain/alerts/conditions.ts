import type { Condition } from './condition.js';
import { recordConditions } from './record-conditions.js';
import { webhookConditions } from './webhook-conditions.js';

/** Those of deploy/prometheus/rules.yml that the database shows, by the same names and limits. */
export const conditions: readonly Condition[] = [...webhookConditions, ...recordConditions];
