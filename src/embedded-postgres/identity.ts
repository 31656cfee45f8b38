import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const UNSHARE = ['--user', '--map-user=65534', '--map-group=65534'];

/** Who the server runs as, and what follows from it. Postgres refuses to run as root. */
export interface Identity {
  /** `bin`, `lib`, `share` */
  native: string;
  /** Given to spawn. */
  as: { uid?: number; gid?: number };
  command(binary: 'initdb' | 'postgres', args: string[]): { file: string; args: string[] };
  /** Hands a file or folder that we made over to the server. */
  own(file: string): Promise<void>;
}

export function ourselves(native: string): Identity {
  return {
    native,
    as: {},
    command: (binary, args) => ({ file: path.join(native, 'bin', binary), args }),
    own: async () => {},
  };
}

/** Root under another number, in a user namespace: our own files stay ours, also inside a folder that only root can enter. */
export function unshared(native: string): Identity {
  return {
    ...ourselves(native),
    command: (binary, args) => ({ file: 'unshare', args: [...UNSHARE, path.join(native, 'bin', binary), ...args] }),
  };
}

export async function works(identity: Identity): Promise<boolean> {
  const { file, args } = identity.command('postgres', ['--version']);
  return promisify(execFile)(file, args, { ...identity.as, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

export async function chooseIdentity(native: string): Promise<Identity> {
  return process.getuid?.() === 0 ? unshared(native) : ourselves(native);
}
