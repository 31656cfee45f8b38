import { conditionNamed } from './alerts.js';
import { breakWords } from './break-words.js';

/** Alerts about breaks, by their kind. */
const ofBreaks = ['TallyhookCriticalBreak', 'TallyhookHighBreak'];

/** What to do first: of breaks what their kind asks for, then what all of them do. */
export function remedyOf({ name, subject }: { name: string; subject: string }): string {
  const remedy = conditionNamed(name)?.remedy ?? '';
  const own = ofBreaks.includes(name) ? new Map(Object.entries(breakWords)).get(subject)?.remedy : undefined;
  return own === undefined ? remedy : `${own} ${remedy}`;
}
