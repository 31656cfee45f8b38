import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/embedded-postgres/free-port.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { STEP_MS, until } from '../support/drill.js';
import { type CliProcess, runCli, startCli } from '../support/run-cli.js';

export type FleetRole = 'serve' | 'work' | 'schedule' | 'console';

export interface Member {
  /** Such as `work 2`. */
  name: string;
  role: FleetRole;
  /** Among those of its role, from 0. */
  place: number;
  cli: CliProcess;
}

/** Many processes of each role on one database and one queue, the receivers behind one address, the service a sandbox. */
export interface Fleet {
  sandbox: Sandbox;
  members(role: FleetRole): Member[];
  /** kill -9. Resolves when it is gone. */
  kill(member: Member): Promise<void>;
  /** SIGTERM, and the program of this run in its place once it is gone; the exit code of the one that went. */
  replace(member: Member): Promise<{ code: number | string; next: Member }>;
  /** Runs a verb of this run's program to its end. */
  run(args: string[]): ReturnType<typeof runCli>;
  /** SIGTERM to all that run; their exit codes by name. */
  stop(): Promise<Record<string, number | string>>;
  close(): Promise<void>;
}

/** As docs/deploy.md asks of a proxy: on a machine that does ten other things an answer may take longer than the service's 10 s. */
const ANSWER_MS = 30_000;
const TOKEN = 'fleet-token-fleet-token';
const LEADS = 'leadership acquired';

export interface FleetOptions {
  stores: { DATABASE_URL: string } & Record<string, string>;
  /** What stands in front of the receivers, by their ports. */
  front: (ports: readonly number[]) => Promise<{ port: number; close(): Promise<void> }>;
  /** Folder of the compiled program that they begin with; that of the run unless given. */
  program?: string;
}

export async function startFleet(
  counts: Record<FleetRole, number>,
  { stores, front: startFront, program }: FleetOptions,
): Promise<Fleet> {
  const cwd = await mkdtemp(path.join(tmpdir(), 'fleet-'));
  const retrySchedule = Array.from({ length: 600 }, () => 1);
  const sandbox = await startSandbox({
    confirmationSeconds: 0,
    kytSeconds: 0,
    retrySchedule,
    deliveryTimeoutMs: ANSWER_MS,
  });
  const ports = await Promise.all(Array.from({ length: counts.serve }, () => freePort(null)));
  const front = await startFront(ports);
  const { secret, url } = sandbox.control.addEndpoint({ url: `http://127.0.0.1:${front.port}/webhooks` });
  const env: Record<string, string> = {
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
    ...stores,
  };
  const running = new Set<Member>();
  const start = async (role: FleetRole, place: number, its?: { program: string }) => {
    const PORT = String(ports[place] ?? 0);
    const cli = startCli([role], { cwd, env: { ...env, ...(role === 'serve' && { PORT }) }, ...its });
    const member = { name: `${role} ${place + 1}`, role, place, cli };
    running.add(member);
    await until(
      `${role} can be reached`,
      () => /^(metrics|console) +http/m.test(cli.output.stdout) || cli.output.stderr,
    );
    return member;
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
    for (let next = wanted.shift(); next; next = wanted.shift())
      await start(next.role, next.place, program === undefined ? undefined : { program });
  };
  await Promise.all([startRest(), startRest()]);
  return {
    sandbox,
    members: (role) => [...running].filter((member) => member.role === role),
    kill: async (member) => void (await end(member, 'SIGKILL')),
    replace: async (member) => {
      const [, code] = await end(member, 'SIGTERM');
      return { code, next: await start(member.role, member.place) };
    },
    run: (args) => runCli(args, { cwd, env, longestMs: STEP_MS }),
    stop: async () => Object.fromEntries(await endAll('SIGTERM')),
    close: async () => {
      await endAll('SIGKILL');
      await front.close();
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

/** Schedulers that once said that they lead. */
export const leaders = (all: Fleet): Member[] =>
  all.members('schedule').filter(({ cli }) => cli.output.stdout.includes(LEADS) || cli.output.stderr.includes(LEADS));
