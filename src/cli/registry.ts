import type { Command } from 'commander';

interface Verb {
  name: string;
  summary: string;
  /** Loads what the verb needs and returns what declares its words and its action. */
  load: () => Promise<(command: Command) => void>;
}

/** Every verb, in the order of the help text. One file per verb or group of verbs, loaded when it is asked for. */
export const verbs: readonly Verb[] = [
  {
    name: 'start',
    summary: 'run receiver, workers, scheduler and console in one process',
    load: async () => (await import('./roles.js')).defineRoles('receiver', 'worker', 'scheduler', 'console'),
  },
  {
    name: 'serve',
    summary: 'run the receiver of webhooks',
    load: async () => (await import('./roles.js')).defineRoles('receiver'),
  },
  {
    name: 'work',
    summary: 'run the workers that apply received events',
    load: async () => (await import('./roles.js')).defineRoles('worker'),
  },
  {
    name: 'schedule',
    summary: 'run the reconcilers; of several, one leads',
    load: async () => (await import('./roles.js')).defineRoles('scheduler'),
  },
  {
    name: 'console',
    summary: 'run the read API and the operators’ pages',
    load: async () => (await import('./roles.js')).defineRoles('console'),
  },
  {
    name: 'migrate',
    summary: 'bring the database up to date',
    load: async () => (await import('./migrate.js')).defineMigrate,
  },
  {
    name: 'sandbox',
    summary: 'run an emulator of the payment service',
    load: async () => (await import('./sandbox.js')).defineSandbox,
  },
];
