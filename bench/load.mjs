import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const script = fileURLToPath(new URL('replay.lua', import.meta.url));

/** One bounded load from one thread over `connections` keep-alive connections, always against this machine. */
export async function load({ port, requests, seconds, connections = 64 }) {
  const { stdout } = await run(
    'wrk',
    [
      '-t1',
      `-c${connections}`,
      `-d${seconds}s`,
      '--latency',
      '--timeout',
      '10s',
      '-s',
      script,
      `http://127.0.0.1:${port}/webhooks`,
      '--',
      requests,
    ],
    { timeout: (seconds + 60) * 1000 },
  );
  const line = stdout.split('\n').find((text) => text.startsWith('RESULT '));
  if (!line) throw new Error(`wrk printed no result:\n${stdout}`);
  const result = JSON.parse(line.slice('RESULT '.length));
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`the load saw refusals or errors: ${line}`);
  return {
    perSecond: result.requests / (result.durationUs / 1e6),
    p50Ms: result.p50Us / 1000,
    p99Ms: result.p99Us / 1000,
  };
}
