import { AppError } from '../errors.js';
import type { KeyStore } from '../service-api/key-store.js';
import { NotSentError } from '../service-api/service-errors.js';
import type { SharedCalls, SharedCallsOptions } from './share-calls.js';

const METHODS = ['begin', 'end', 'claim', 'giveUp', 'rivals', 'made'] as const satisfies (keyof KeyStore)[];

/**
 * The same as shareCalls, before the database is open: the driver is loaded, and the database connected to, by the first call.
 * `ready` rejects with a NotSentError, a ConfigError or a SchemaError; the next call then tries anew.
 */
export function shareWhenCalled(
  options: SharedCallsOptions,
): SharedCalls & { ready(operation: string): Promise<void> } {
  let opened: Promise<SharedCalls> | null = null;
  const open = () => {
    opened ??= import('./share-calls.js')
      .then(({ shareCalls }) => shareCalls(options))
      .catch((error: unknown) => {
        opened = null;
        throw error;
      });
    return opened;
  };
  const store = METHODS.map((name) => [
    name,
    async (...given: unknown[]) => {
      const { keyStore } = await open();
      return (keyStore[name] as ((...given: unknown[]) => unknown) | undefined)?.(...given);
    },
  ]);
  return {
    ready: async (operation) => {
      try {
        await open();
      } catch (error) {
        throw error instanceof AppError ? error : new NotSentError(operation, error);
      }
    },
    keyStore: Object.fromEntries(store) as KeyStore,
    takeSlot: async (signal, operation) => {
      try {
        await (await open()).takeSlot(signal, operation);
      } catch (error) {
        signal.throwIfAborted();
        throw new NotSentError(operation, error);
      }
    },
    observe: async (answered) => (await open()).observe(answered),
    close: async () => {
      const open = await opened?.catch(() => null);
      opened = null;
      await open?.close();
    },
  };
}
