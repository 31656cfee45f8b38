import { createQueueProducer, QUEUE_TIMEOUT_MS } from '../../webhook/queue-producer.js';
import { within } from '../within.js';
import { type Check, type DoctorParts, finding, ok } from './check.js';

const NAME = 'queue';
/** A connection, and an answer. */
const LONGEST_MS = 3 * QUEUE_TIMEOUT_MS;

/** Whether the queue answers, asked from here. Redis alone is asked: a queue in the database is as well as that. */
export async function checkQueue({ config, queues }: Pick<DoctorParts, 'config' | 'queues'>): Promise<Check[]> {
  if (config.REDIS_URL === undefined) return [ok(NAME, 'is in the database')];
  const queue = createQueueProducer('events', queues);
  try {
    const { waiting } = await within(LONGEST_MS, () => queue.opened.then(() => queue.state()));
    return [ok(NAME, `Redis answers, ${waiting} jobs wait`)];
  } catch {
    const found =
      'Redis does not answer: webhooks are applied some seconds later, and commands of the console wait; nothing is lost, events are in Postgres';
    return [finding(NAME, found, 'start Redis, or correct REDIS_URL; all goes on by itself')];
  } finally {
    await queue.close();
  }
}
