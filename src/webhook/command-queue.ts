import { TimeoutStrategy, timeout } from 'cockatiel';
import { AppError } from '../errors.js';
import { keepRunning } from './keep-running.js';
import {
  type JobQueue,
  openQueue,
  openWhenReady,
  openWorker,
  QUEUE_TIMEOUT_MS,
  type QueueSettings,
} from './queue-backend.js';

/** What the console can't do by itself and asks the roles for. */
export type CommandName = 'recover' | 'run' | 'doctor' | 'replay';

export type CommandHandlers = Partial<Record<CommandName, (payload: unknown) => Promise<unknown>>>;

/** The queue of commands can't be reached: nothing was asked. */
export class CommandQueueError extends AppError {
  readonly code = 'command_queue_unavailable';
  override readonly retryable = true;
}

const KEEP = {
  removeOnComplete: { age: 86_400, count: 1_000 },
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
};

const inTime = timeout(QUEUE_TIMEOUT_MS, TimeoutStrategy.Aggressive);

export interface CommandQueue {
  /** Answers with the command's id once it is queued. Throws CommandQueueError after 2 s. */
  send(name: CommandName, payload: unknown): Promise<{ id: string }>;
  close(): Promise<void>;
}

export function createCommandQueue(settings: QueueSettings): CommandQueue {
  const stop = new AbortController();
  let open: JobQueue<unknown> | null = null;
  const opened = openWhenReady(() => openQueue<unknown>('commands', settings), stop.signal).then((queue) => {
    open = queue;
    return queue;
  });
  return {
    async send(name, payload) {
      try {
        return await inTime.execute(async () => {
          const jobs = await (await opened)?.addBulk([{ name, data: payload, opts: KEEP }]);
          const id = jobs?.[0]?.id;
          if (id === undefined) throw new Error('the queue is closed');
          return { id };
        });
      } catch (cause) {
        throw new CommandQueueError(`the command ${name} could not be queued`, { cause });
      }
    },
    async close() {
      stop.abort();
      await opened;
      const queue = open;
      if (queue) await inTime.execute(() => queue.close()).catch(() => void queue.disconnect().catch(() => {}));
    },
  };
}

/** Carries commands out, one at a time. One role serves them all: a job goes to whichever process asks first. */
export function createCommandWorker(settings: QueueSettings & { handlers: CommandHandlers }): {
  close(): Promise<void>;
} {
  const { log, handlers } = settings;
  return keepRunning<unknown>(
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
