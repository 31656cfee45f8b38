import { type SealCheck, type SealState, unsealedText } from '../../records/audit/seal-checks.js';
import type { ActionButton, Section } from './sections.js';
import { badge, count, counted, id, link, list, none, quiet, text, time, type Value, words } from './values.js';

const LATE_MS = 30 * 60_000;

/** Whether what is written can still be trusted: the seals, what waits for one, and the last time that they were verified. */
export function sealPanel(
  { state, last, deciding, whole }: Record<'last' | 'deciding' | 'whole', SealCheck | null> & { state: SealState },
  { now, button }: { now: Date; button: ActionButton | null },
): Section {
  const { newest, unsealed } = state;
  return {
    is: 'panel',
    title: 'Seals',
    intro:
      'What is written is sealed every five minutes: whoever changes, deletes, adds or moves a row afterwards breaks the chain.',
    actions: [button],
    sections: [
      ...(deciding !== null && deciding.findings > 0 ? [brokenNotice(deciding)] : []),
      {
        is: 'facts',
        facts: [
          [
            'Newest seal',
            newest === null ? none('nothing is sealed yet') : list([text(newest.number), id(newest.hash)]),
          ],
          ['Sealed', newest === null ? none() : time(newest.sealedAt, now)],
          ['Not sealed yet', waitingOf(unsealed, now)],
          [
            'Last verified',
            last === null
              ? none('never')
              : list([checkBadge(last), time(last.finishedAt, now), quiet(`by ${last.actor}`)]),
          ],
          [
            'Last verified as a whole',
            whole === null ? none('never') : list([time(whole.finishedAt, now), count(whole.rows), quiet('rows')]),
          ],
        ],
      },
    ],
  };
}

function brokenNotice({ findings, firstFinding }: SealCheck): Section {
  const said = `${counted(findings, 'finding')}, the first: ${firstFinding ?? 'unknown'}. “tallyhook audit verify” names every place. Change nothing before you have a copy of the database.`;
  return { is: 'notice', tone: 'bad', title: 'What was sealed is not as it was', text: said };
}

function checkBadge({ findings, isWhole }: SealCheck): Value {
  if (findings > 0) return badge(counted(findings, 'finding'), 'bad');
  return badge(isWhole ? 'as it was sealed' : 'as it was sealed, a part', 'good');
}

function waitingOf(unsealed: SealState['unsealed'], now: Date): Value {
  const waiting = unsealed.filter(({ rows }) => rows > 0);
  if (waiting.length === 0) return text('nothing: every row is sealed');
  const isLate = waiting.some(({ oldestAt }) => oldestAt !== null && now.getTime() - Date.parse(oldestAt) > LATE_MS);
  const rows = waiting.map(({ log, rows: own }) => quiet(`${unsealedText(own)} of ${words(log)}`));
  return list([...(isLate ? [link('sealing lags', '/doctor')] : []), ...rows]);
}
