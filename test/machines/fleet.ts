import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { until } from '../support/drill.js';
import { type CliProcess, startCli } from '../support/run-cli.js';
import { type Balancer, startBalancer } from './balancer.js';

export type FleetRole = 'serve' | 'work' | 'schedule' | 'console';

export interface Member {
  /** Such as `work 2`. */
  name: string;
  role: FleetRole;
  cli: CliProcess;
}

/** Many processes of each role on one database and one queue, the receivers behind a balancer, the service a sandbox. */
export interface Fleet {
  sandbox: Sandbox;
  balancer: Balancer;
  members(role: FleetRole): Member[];
  /** kill -9. Resolves when it is gone. */
  kill(member: Member): Promise<void>;
  /** SIGTERM to all that run; their exit codes by name. */
  stop(): Promise<Record<string, number | string>>;
  close(): Promise<void>;
}

const TOKEN = 'fleet-token-fleet-token';
export const LEADS = 'this scheduler leads';

export async function startFleet(
  counts: Record<FleetRole, number>,
  stores: { DATABASE_URL: string; REDIS_URL: string } & Record<string, string>,
): Promise<Fleet> {
  const cwd = await mkdtemp(path.join(tmpdir(), 'fleet-'));
  const retrySchedule = Array.from({ length: 600 }, () => 1);
  const sandbox = await startSandbox({ confirmationSeconds: 0, kytSeconds: 0, retrySchedule });
  const ports = await Promise.all(Array.from({ length: counts.serve }, () => freePort(null)));
  const balancer = await startBalancer(ports);
  const { secret, url } = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${balancer.port}/webhooks` });
  const env: Record<string, string> = {
    ...stores,
    SERVICE_BASE_URL: sandbox.url,
    SERVICE_API_KEY: 'sandbox-api-key',
    SERVICE_RATE: '1000/s',
    WEBHOOK_SECRETS: `fleet=${secret}`,
    WEBHOOK_PUBLIC_URL: url,
    CONSOLE_TOKENS: `fleet:viewer:${TOKEN}`,
    HOST: '127.0.0.1',
    CONSOLE_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'info',
  };
  const running = new Set<Member>();
  const start = async (role: FleetRole, place: number) => {
    const PORT = String(ports[place] ?? 0);
    const cli = startCli([role], { cwd, env: { ...env, ...(role === 'serve' && { PORT }) } });
    running.add({ name: `${role} ${place + 1}`, role, cli });
    await until(
      `${role} can be reached`,
      () => /^(metrics|console) +http/m.test(cli.output.stdout) || cli.output.stderr,
    );
  };
  const end = async (member: Member, signal: NodeJS.Signals): Promise<[string, number | string]> => {
    running.delete(member);
    return [member.name, await member.cli.end(signal)];
  };
  const endAll = (signal: NodeJS.Signals) => Promise.all([...running].map((member) => end(member, signal)));
  // Two at a time: so many programs that load at once would each take longer than one is waited for.
  const wanted = (Object.entries(counts) as [FleetRole, number][]).flatMap(([role, count]) =>
    Array.from({ length: count }, (_, place) => ({ role, place })),
  );
  const startRest = async () => {
    for (let next = wanted.shift(); next; next = wanted.shift()) await start(next.role, next.place);
  };
  await Promise.all([startRest(), startRest()]);
  return {
    sandbox,
    balancer,
    members: (role) => [...running].filter((member) => member.role === role),
    kill: async (member) => void (await end(member, 'SIGKILL')),
    stop: async () => Object.fromEntries(await endAll('SIGTERM')),
    close: async () => {
      await endAll('SIGKILL');
      await balancer.close();
      await sandbox.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}

/** What a console of the fleet answers. */
export async function askConsole({ cli }: Member, question: string): Promise<unknown> {
  const [, url = ''] = await cli.stdoutMatch(/^console +(\S+)/m);
  const response = await fetch(`${url}/api/v1/${question}`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  return response.json();
}
