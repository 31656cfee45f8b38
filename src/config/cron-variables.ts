import { defaultCrons, type RunKind, runKinds } from '../domain/run-kinds.js';
import { cron } from './values.js';

/** RECONCILE_PAYMENT_INTENTS_CRON of `payment-intents`. */
type CronVariable<K extends string = RunKind> = K extends `${infer A}-${infer B}`
  ? `RECONCILE_${Uppercase<A>}_${Uppercase<B>}_CRON`
  : `RECONCILE_${Uppercase<K>}_CRON`;
export const cronVariable = (kind: RunKind) =>
  `RECONCILE_${kind.toUpperCase().replaceAll('-', '_')}_CRON` as CronVariable;
const cronOf = (kind: RunKind) => ({
  schema: cron,
  accepts: 'a cron expression of 5 or 6 fields, or off',
  meaning: `When the run ${kind} starts.`,
  fallback: defaultCrons[kind] as string,
});
export const crons = Object.fromEntries(runKinds.map((kind) => [cronVariable(kind), cronOf(kind)])) as Record<
  CronVariable,
  ReturnType<typeof cronOf>
>;
