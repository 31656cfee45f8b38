import { readFileSync } from 'node:fs';

/** Whether a process with this id runs. A zombie, dead but not yet waited for, does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return statusFields(pid)?.[0] !== 'Z';
}

/** A process's id and where shown its start, so that another that got the same id later is not taken for it. */
export const processIdentity = (pid: number): string => `${pid} ${statusFields(pid)?.[19] ?? '-'}`;

/** Whether the process that `processIdentity` named is still there. */
export function isSameProcess(identity: string): boolean {
  const pid = Number(identity.split(' ')[0]);
  return Number.isInteger(pid) && pid > 0 && isAlive(pid) && processIdentity(pid) === identity;
}

/** /proc/<pid>/stat from the state on: the name before it may hold spaces and parentheses. */
function statusFields(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
