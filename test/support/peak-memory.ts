import { readFile } from 'node:fs/promises';

/** The most memory that the process ever held, MB; 0 where it is gone. */
export async function peakMemoryMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
}
