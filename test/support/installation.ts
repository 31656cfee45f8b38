import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { STEP_MS } from './drill.js';
import { type CliProcess, runCli, startCli } from './run-cli.js';

export type LoneRole = 'serve' | 'work' | 'schedule';
/** `start` is all of them in one process, for tests that kill none. */
type Role = LoneRole | 'start';

/** A Tallyhook of real processes, each role in its own or all in one, beside a sandbox in this process as its service. */
export interface Installation {
  cwd: string;
  sandbox: Sandbox;
  /** Our endpoint at the service. */
  endpoint: { id: string; url: string; secret: string };
  env: Record<string, string>;
  /** Resolves when the role is at work; the receiver is always at the same address. */
  start(...roles: Role[]): Promise<void>;
  /** kill -9, at the same moment. Resolves when they are gone. */
  kill(...roles: LoneRole[]): Promise<void>;
  /** Roles that ended by themselves, with the end of what they said. */
  died(): string[];
  /** Undefined where the role does not run. */
  pidOf(role: LoneRole): number | undefined;
  /** All that the roles that run have logged. */
  logged(): string;
  /** Where the metrics of each role that was started are, or were before it ended. */
  metricsUrls(): Record<string, string>;
  /** SIGTERM to these, or to all that run; their exit codes. */
  stop(...roles: LoneRole[]): Promise<(number | string)[]>;
  run(args: string[], env?: Record<string, string>): Promise<{ code: number | string; stdout: string; stderr: string }>;
  close(): Promise<void>;
}

export interface InstallationOptions {
  /** Left out: the embedded one. */
  databaseUrl?: string;
  env?: Record<string, string>;
  sandbox?: SandboxOptions;
}

/** Retries come every second for long enough to outlive whatever a drill does. */
const SANDBOX = {
  confirmationSeconds: 0,
  kytSeconds: 0,
  retrySchedule: Array.from({ length: 600 }, () => 1),
} satisfies SandboxOptions;

export async function createInstallation(options: InstallationOptions): Promise<Installation> {
  const cwd = await mkdtemp(path.join(tmpdir(), 'drill-'));
  const sandbox = await startSandbox({ ...SANDBOX, ...options.sandbox });
  const port = await freePort(null);
  const endpoint = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${port}/webhooks` });
  const running = new Map<Role, CliProcess>();
  const metricsUrls = new Map<Role, string>();
  const env: Record<string, string> = {
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: 'sandbox-api-key',
    SERVICE_RATE: '1000/s',
    WEBHOOK_SECRETS: `drill=${endpoint.secret}`,
    WEBHOOK_PUBLIC_URL: endpoint.url,
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: '0',
    CONSOLE_PORT: '0',
    CONSOLE_TOKENS: `drill:operator:${randomBytes(12).toString('hex')}`,
    LOG_LEVEL: 'warn',
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
    ...options.env,
  };

  const start = async (role: Role) => {
    const cli = startCli([role], { cwd, env });
    running.set(role, cli);
    const [, url = ''] = await cli.stdoutMatch(/^(?:metrics|console) +(http\S+)/m);
    metricsUrls.set(role, url);
  };
  const end = async (roles: readonly Role[], signal: NodeJS.Signals) => {
    const ending = roles.flatMap((role) => running.get(role) ?? []);
    for (const role of roles) running.delete(role);
    return Promise.all(ending.map((cli) => cli.end(signal)));
  };

  return {
    cwd,
    sandbox,
    endpoint,
    env,
    start: async (...roles) => void (await Promise.all(roles.map(start))),
    kill: async (...roles) => void (await end(roles, 'SIGKILL')),
    died: () =>
      [...running]
        .filter(([, { child }]) => child.exitCode !== null || child.signalCode !== null)
        .map(
          ([role, { child, output }]) =>
            `${role} (${child.exitCode ?? child.signalCode}): ${output.stderr.slice(-500)}`,
        ),
    pidOf: (role) => running.get(role)?.child.pid,
    logged: () => [...running.values()].map(({ output }) => output.stderr).join(''),
    metricsUrls: () => Object.fromEntries(metricsUrls),
    stop: (...roles) => end(roles.length > 0 ? roles : [...running.keys()], 'SIGTERM'),
    run: (args, more) => runCli(args, { cwd, env: { ...env, ...more }, longestMs: STEP_MS }),
    close: async () => {
      await end([...running.keys()], 'SIGKILL');
      await sandbox.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
