import { severities } from '../breaks/findings.js';
import type { OpenBreaks } from '../breaks/money-once.js';
import { named } from '../in-words.js';
import { breakNames } from './causes.js';
import type { Problem, State } from './state.js';

/** Why a break stands on Overview as worse than it is by itself, in words; null: it does not. */
export function severityWords(
  { problems }: State,
  { kind, severity }: Pick<OpenBreaks, 'kind' | 'severity'>,
): string | null {
  const isOf = ({ name, subjects }: Problem) =>
    [...breakNames, 'TallyhookEndpointOff'].includes(name) &&
    subjects.includes(kind) &&
    (name === 'TallyhookCriticalBreak') === (severity === 'critical');
  const head = problems.find((one) => isOf(one) || one.follows.some(isOf));
  if (head === undefined || severities.indexOf(head.severity) >= severities.indexOf(severity)) return null;
  const known = `${severity} by itself; ${head.severity} on Overview`;
  if (!isOf(head)) return `${known}, as it follows from another problem: ${head.title}`;
  const worse = head.follows.filter((one) => one.severity === head.severity).map(({ title }) => title);
  return worse.length === 0 ? `${known}, as its alert is` : `${known}, for what follows from it: ${named(worse)}`;
}
