import { userInfo } from 'node:os';

/** Who runs the command, as it is kept with what they do: a container may have no name for its user. */
export function cliActor(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
