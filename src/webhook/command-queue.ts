import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../errors.js';
import { createQueueProducer } from './queue.js';
import { openWorker, type QueueSettings, type QueueState } from './queue-backend.js';
import { type QueueConsumer, startWorkerLoop } from './worker.js';

/** What the console can't do by itself and asks the roles for. */
type CommandName = 'recover' | 'run' | 'doctor' | 'replay' | 'verify seals';

export type CommandHandlers = Partial<Record<CommandName, (payload: unknown) => Promise<unknown>>>;

/** The queue of commands can't be reached. Whether the command will be carried out is not known. */
class CommandQueueError extends AppError {
  readonly code = 'command_queue_unavailable';
  override readonly retryable = true;
}

export interface CommandQueue {
  /** Answers with the command's id once it is queued. Throws CommandQueueError where the queue can't be reached. */
  send(name: CommandName, payload: unknown): Promise<{ id: string }>;
  isOpen(): boolean;
  /** Rejects where the queue can't be asked. */
  state(): Promise<QueueState>;
  close(): Promise<void>;
}

const KEEP = { removeOnComplete: { age: 86_400, count: 1_000 }, removeOnFail: { age: 7 * 86_400, count: 1_000 } };
const OPEN_TIMEOUT_MS = 2_000;

export function createCommandQueue(settings: QueueSettings): CommandQueue {
  const producer = createQueueProducer<unknown>('commands', settings);
  return {
    async send(name, payload) {
      try {
        await Promise.race([producer.opened, delay(OPEN_TIMEOUT_MS, undefined, { ref: false })]);
        const [job] = await producer.add([{ name, data: payload, opts: KEEP }]);
        if (job?.id === undefined) throw new Error('the queue gave no id');
        return { id: job.id };
      } catch (cause) {
        throw new CommandQueueError(`the command ${name} could not be queued`, { cause });
      }
    },
    isOpen: () => producer.isOpen(),
    state: () => producer.state(),
    close: () => producer.close(),
  };
}

/** Carries commands out, one at a time. One role serves them all: a job goes to whichever process asks first. */
export function createCommandWorker(settings: QueueSettings & { handlers: CommandHandlers }): QueueConsumer {
  const { log, handlers } = settings;
  return startWorkerLoop<unknown>(
    log,
    async ({ id, name, data }) => {
      const handler = handlers[name as CommandName];
      if (!handler) throw new Error(`no handler for the command ${name}`);
      log.info({ command: name, id }, 'command started');
      return handler(data);
    },
    (process) => openWorker('commands', process, settings, { concurrency: 1 }),
  );
}
