import { execFileSync, spawnSync } from 'node:child_process';

/** What it says where it is not content. */
export function promtool(args: string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', timeout: 60_000 });
  return { status, output: status === 0 ? '' : stdout + stderr };
}

/** Said aloud, so that nobody takes a skip for a pass. */
export function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(
      '\n!!! No promtool on the PATH (Debian: prometheus): the tests of the alerts are SKIPPED !!!\n',
    );
    return false;
  }
}
