import type { VariableName } from '../config.js';
import { giveSigns } from '../notify/give-signs.js';
import { adopt } from './adopt.js';
import { collectGauges } from './collect-gauges.js';
import { healthListener } from './health.js';
import { type Listener, listen } from './listen.js';
import { sharedSettings } from './reconcile-settings.js';
import { renderMetrics } from './render-metrics.js';
import { type Runtime, SERVICE_NEEDS } from './runtime.js';

export type Role = 'receiver' | 'worker' | 'scheduler' | 'console';

/** Where a process can be reached, by the name it prints. */
export type Addresses = Partial<Record<'receiver' | 'console' | 'metrics', string>>;

/** Whose silence is an alert. */
const livingParts = ['receiver', 'worker'] as const;

/** The settings without which a role can't start. */
export const needsOf: Record<Role, readonly VariableName[]> = {
  receiver: ['SERVICE_BASE_URL', 'WEBHOOK_SECRETS'],
  worker: SERVICE_NEEDS,
  scheduler: SERVICE_NEEDS,
  console: [...SERVICE_NEEDS, 'CONSOLE_TOKENS'],
};

/**
 * Starts roles in one process. Their ports are open from the first moment, so that probes are answered; work begins when
 * database and schemas are there and belong to this service (see `adopt` for what it throws).
 */
export async function startRoles(runtime: Runtime, roles: readonly Role[]): Promise<Addresses> {
  const fronts = await openFronts(runtime, roles);
  const { db, log, now, config, signal, ready } = runtime;
  collectGauges(runtime);
  const adoptedAt = await adopt({ db, log, now, config, signal, ready });
  // A process loads what its own roles need.
  if (roles.includes('worker')) (await import('./start-worker.js')).startWorker(runtime, adoptedAt);
  if (roles.includes('scheduler')) await (await import('./start-schedule.js')).startSchedule(runtime, adoptedAt);
  if (fronts.console) (await import('./start-console.js')).startConsole(runtime, fronts.console);
  if (fronts.receiver) await (await import('./start-receiver.js')).startReceiver(runtime, fronts.receiver);
  const parts = livingParts.filter((part) => roles.includes(part));
  const stop = new AbortController();
  const signs = { parts, roles, settings: sharedSettings(config) };
  void giveSigns(runtime, signs, AbortSignal.any([signal, stop.signal]));
  runtime.closers.add('signs of life', async () => stop.abort());
  return Object.fromEntries(Object.entries(fronts).map(([name, { url }]) => [name, url]));
}

type Fronts = Partial<Record<keyof Addresses, Listener>>;

async function openFronts(runtime: Runtime, roles: readonly Role[]): Promise<Fronts> {
  const { config, closers } = runtime;
  const unavailable = { status: 503, error: 'starting' };
  const metrics = () => renderMetrics(runtime);
  // What is missing is told on the private ports only.
  const publicReady = async () => ({ ok: (await runtime.ready()).ok });
  const publicHealth = healthListener({ ready: publicReady }, unavailable);
  const fronts: Fronts = {};
  const open = async (name: keyof Addresses, place: Parameters<typeof listen>[0], first = publicHealth) => {
    const front = await listen(place, first);
    fronts[name] = front;
    closers.add(name, () => front.close());
  };
  if (roles.includes('console')) {
    const names = { host: 'CONSOLE_HOST', port: 'CONSOLE_PORT' };
    const place = { host: config.CONSOLE_HOST, port: config.CONSOLE_PORT, names };
    await open('console', place, healthListener({ ready: runtime.ready, metrics }, unavailable));
  } else if (config.METRICS_PORT !== undefined) {
    const names = { host: 'CONSOLE_HOST', port: 'METRICS_PORT' };
    const place = { host: config.CONSOLE_HOST, port: config.METRICS_PORT, names };
    await open('metrics', place, healthListener({ ready: runtime.ready, metrics }));
  }
  if (roles.includes('receiver')) {
    const names = { host: 'HOST', port: 'PORT' };
    await open('receiver', { host: config.HOST, port: config.PORT, names });
  }
  return fronts;
}
