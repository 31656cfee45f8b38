import { capitalized, duration } from '../../domain/in-words.js';
import type { Page, QueueReading } from '../page.js';
import { notice, panel, type Section, type Tile } from '../view/sections.js';

/** A job that waits longer than this waits for a worker that is not there. */
const LATE_SECONDS = 120;

const means: Readonly<Record<string, string>> = {
  events: 'Shows the workers which stored events to apply. It may be emptied at any time: events stand in the inbox.',
  commands:
    'What the console asks of other processes: runs and recoveries. “tallyhook schedule” carries them out, one at a time.',
};

export const queues: Page = {
  path: '/queues',
  title: 'Queues',
  group: 'Operation',
  roles: [],
  live: true,
  load: async ({ now, queues: readQueues }) => {
    const readings = await readQueues();
    return {
      intro:
        'The queues between the processes. They only make things fast: what is lost here is found in the database.',
      sections: readings.map((reading) => sectionOf(reading, now())),
    };
  },
};

function sectionOf({ name, state }: QueueReading, now: Date): Section {
  if (state === null) {
    const text =
      'Redis (REDIS_URL) or the database does not answer. Events are stored all the same, and applied by the workers’ scan of the inbox.';
    return notice('bad', `The queue of ${name} can’t be asked`, text);
  }
  const { waiting, active, delayed, failed, oldestAt } = state;
  const age = oldestAt === null ? 0 : (now.getTime() - oldestAt) / 1_000;
  const isLate = age > LATE_SECONDS;
  const tiles: Tile[] = [
    {
      label: 'Waiting',
      value: String(waiting),
      note: oldestAt === null ? 'nothing waits' : `the oldest for ${duration(Math.max(0, age))}`,
      ...(isLate ? { tone: 'bad' } : {}),
    },
    { label: 'Active', value: String(active) },
    { label: 'Delayed', value: String(delayed), note: 'to be tried again' },
    { label: 'Failed', value: String(failed), note: 'kept for a while', tone: failed > 0 ? 'warn' : 'quiet' },
  ];
  const late =
    name === 'commands'
      ? 'Does “tallyhook schedule” run, and is a long run before it?'
      : 'Does a worker run (“tallyhook work”)?';
  const waits = isLate ? [notice('bad', `The oldest has waited for ${duration(age)}`, late)] : [];
  return panel(capitalized(name), [{ is: 'tiles', tiles }, ...waits], { intro: means[name] ?? '' });
}
