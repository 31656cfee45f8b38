import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Role, Variable } from '../../config/variable.js';
import { variables } from '../../config/variables.js';
import type { VariableName } from '../../config.js';
import { ConfigError } from '../../errors.js';
import { createMetrics } from '../../metrics.js';
import { recordHeartbeats } from '../../notify/record-heartbeats.js';
import type { SecretSource } from '../../webhook/secret-source.js';
import { adopt } from '../adopt.js';
import { renderMetrics } from '../collect-gauges.js';
import { type Listener, listen } from '../listen.js';
import { type Readiness, readinessOf } from '../readiness.js';
import { sharedSettings } from '../reconcile-settings.js';
import { openRuntime, type Runtime, type RuntimeParts } from '../runtime.js';
import { createStartSteps, StopRequest } from '../start-steps.js';

/** Where a process can be reached, by the name it prints. */
export type Addresses = Partial<Record<'receiver' | 'console' | 'metrics', string>>;

/** Whose silence is an alert. */
const livingParts = ['receiver', 'worker'] as const;

/** The settings without which a role can't start. */
export function needsOf(role: Role): VariableName[] {
  const table: [string, Variable][] = Object.entries(variables);
  return table.filter(([, { neededBy }]) => neededBy?.includes(role)).map(([name]) => name as VariableName);
}

/**
 * Starts roles in one process. Their ports are open from the first moment, so that probes are answered; work begins when
 * database and schemas are there and belong to this service (see `adopt` for what it throws), the receiver's first. Resolves
 * when each port says that it is ready, or 10 s after the start if something is still missing then.
 */
export async function startRoles(
  parts: RuntimeParts,
  roles: readonly Role[],
): Promise<{ runtime: Runtime; addresses: Addresses }> {
  const { signal, closers } = parts;
  const { run, running } = createStartSteps(parts);
  const metrics = createMetrics({ processMetrics: true });
  const health = createHealth(signal, running);
  const fronts = await run('ports', () => openFronts({ ...parts, ...health, metrics }, roles));
  let modules: ReturnType<typeof loadModules> | undefined;
  const load = () => (modules ??= loadModules(roles));
  const runtime = await openRuntime({ ...parts, run, metrics, onWait: () => void load().catch(() => {}) });
  health.begin(runtime);
  const { collectGauges, startReceiver, startWorker, startSchedule, startConsole } = await run('program', load);
  collectGauges(runtime);
  const adoptedAt = await run('database', (stop) => adopt({ ...runtime, signal: stop }));
  const { receiver, console } = fronts;
  const secrets =
    receiver && (await run('receiver', () => startReceiver?.({ ...runtime, ready: health.publicReady }, receiver)));
  if (startWorker) await run('worker', () => startWorker(runtime, adoptedAt));
  if (startSchedule) await run('scheduler', () => startSchedule(runtime, adoptedAt));
  if (console) await run('console', () => startConsole?.({ ...runtime, ready: health.ready }, console));
  startHeartbeats(runtime, roles, secrets);
  closers.add('ports', () => closeGently(fronts, parts));
  health.end();
  await waitUntilReady(health.ready, parts);
  return { runtime, addresses: Object.fromEntries(Object.entries(fronts).map(([name, { url }]) => [name, url])) };
}

/** A process loads what its own roles need, while its database starts. */
async function loadModules(roles: readonly Role[]) {
  const needed = async <M>(role: Role, load: () => Promise<M>): Promise<Partial<M>> =>
    roles.includes(role) ? load() : {};
  const [{ collectGauges }, { startReceiver }, { startWorker }, { startSchedule }, { startConsole }] =
    await Promise.all([
      import('../collect-gauges.js'),
      needed('receiver', () => import('./start-receiver.js')),
      needed('worker', () => import('./start-receiver.js')),
      needed('scheduler', () => import('./start-schedule.js')),
      needed('console', () => import('./start-console.js')),
    ]);
  return { collectGauges, startReceiver, startWorker, startSchedule, startConsole };
}

function startHeartbeats(runtime: Runtime, roles: readonly Role[], secrets: SecretSource | undefined): void {
  const parts = livingParts.filter((part) => roles.includes(part));
  const stop = new AbortController();
  const fromFile = runtime.config.WEBHOOK_SECRETS_FILE !== undefined;
  const heartbeats = { parts, roles, settings: sharedSettings(runtime.config), secrets, fromFile };
  void recordHeartbeats(runtime, heartbeats, AbortSignal.any([runtime.signal, stop.signal]));
  runtime.closers.add('process heartbeats', async () => stop.abort());
}

interface ProcessHealth {
  /** Whether everything is at work; names what is not. */
  ready: () => Promise<Readiness>;
  /** Whether webhooks are taken, which a queue that is away does not prevent. */
  publicReady: () => Promise<Readiness>;
  begin(runtime: Runtime): void;
  end(): void;
}

function createHealth(signal: AbortSignal, running: () => string | null): ProcessHealth {
  let runtime: Runtime | null = null;
  let isStarting = true;
  const publicReady = async () => {
    if (signal.aborted) return readinessOf(['stopping']);
    const step = isStarting ? [`starting: ${running() ?? 'next step'}`] : [];
    const asked = await runtime?.ready();
    return readinessOf([...step, ...(asked?.problems ?? [])]);
  };
  return {
    publicReady,
    ready: async () => {
      const { problems } = await publicReady();
      const away = new Set(runtime?.queuesInUse.filter((queue) => !queue.isOpen()).map(({ name }) => name));
      return readinessOf([...problems, ...[...away].map((name) => `queue: ${name} could not be opened yet`)]);
    },
    begin: (opened) => {
      runtime = opened;
    },
    end: () => {
      isStarting = false;
    },
  };
}

const READY_MS = 10_000;
const POLL_MS = 20;

async function waitUntilReady(
  ready: ProcessHealth['ready'],
  { log, signal }: Pick<Runtime, 'log' | 'signal'>,
): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const { ok, problems } = await ready();
    if (ok || signal.aborted) return;
    if (performance.now() > deadline) return log.warn({ problems }, 'started but not ready');
    await delay(POLL_MS, undefined, { signal });
  }
}

/** After SIGTERM whoever sends us requests has DRAIN_SECONDS to see that we leave. */
async function closeGently(
  fronts: Fronts,
  { config, log, signal }: Pick<Runtime, 'config' | 'log' | 'signal'>,
): Promise<void> {
  const { receiver, console } = fronts;
  const seconds = config.DRAIN_SECONDS;
  const isTerm = signal.reason instanceof StopRequest && signal.reason.by === 'SIGTERM';
  if (isTerm && seconds > 0 && (receiver ?? console)) {
    log.info({ seconds }, 'draining');
    await delay(seconds * 1_000);
  }
  await Promise.all([receiver?.close(), console?.close()]);
}

type Fronts = Partial<Record<keyof Addresses, Listener>>;

const hostOf = { PORT: 'HOST', CONSOLE_PORT: 'CONSOLE_HOST', METRICS_PORT: 'CONSOLE_HOST' } as const;

type FrontParts = RuntimeParts & Pick<Runtime, 'metrics'> & Pick<ProcessHealth, 'ready' | 'publicReady'>;

async function openFronts(parts: FrontParts, roles: readonly Role[]): Promise<Fronts> {
  const { config, closers, signal, ready } = parts;
  const unavailable = { status: 503, error: 'starting' };
  const metrics = () => renderMetrics(parts);
  // Only the private ports say what is missing.
  const publicReady = async () => ({ ok: (await parts.publicReady()).ok });
  const fronts: Fronts = {};
  const problems: ConfigError[] = [];
  const open = async (name: keyof Addresses, port: keyof typeof hostOf, first: RequestListener) => {
    const names = { host: hostOf[port], port };
    try {
      const place = { host: config[names.host], port: config[port] ?? 0, names };
      const front = await listen(place, first, { leaving: signal });
      fronts[name] = front;
      closers.add(name, () => front.close());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(error);
    }
  };
  if (roles.includes('console')) await open('console', 'CONSOLE_PORT', healthListener({ ready, metrics }, unavailable));
  else if (config.METRICS_PORT !== undefined) await open('metrics', 'METRICS_PORT', healthListener({ ready, metrics }));
  if (roles.includes('receiver')) await open('receiver', 'PORT', healthListener({ ready: publicReady }, unavailable));
  if (problems.length > 0)
    throw new ConfigError(problems.map(({ message }) => message).join('\n'), { cause: problems[0] });
  return fronts;
}

interface Health {
  ready: () => Promise<{ ok: boolean }>;
  /** Left out where metrics are none of the caller's business. */
  metrics?: () => Promise<{ contentType: string; body: string }>;
}

/** /livez, /readyz and /metrics for a process without pages of its own. Anything else is answered with `otherwise`. */
function healthListener(health: Health, otherwise = { status: 404, error: 'not_found' }): RequestListener {
  return (req, res) => {
    const answer = (status: number, body: unknown) => {
      res.writeHead(status, { 'Content-Type': 'application/json', ...(status === 503 && { 'Retry-After': '5' }) });
      res.end(JSON.stringify(body));
    };
    const path = req.url?.split('?')[0];
    if (path === '/livez') return answer(200, { ok: true });
    if (path === '/readyz') return void health.ready().then((state) => answer(state.ok ? 200 : 503, state));
    if (path === '/metrics' && health.metrics) {
      return void health.metrics().then(
        ({ contentType, body }) => res.writeHead(200, { 'Content-Type': contentType }).end(body),
        () => answer(503, { error: 'unavailable' }),
      );
    }
    return answer(otherwise.status, { error: otherwise.error });
  };
}
