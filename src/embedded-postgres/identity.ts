import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, cp, lchown, mkdir, readdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const UNSHARE = ['--user', '--map-user=65534', '--map-group=65534'];
const NOBODY = { uid: 65534, gid: 65534 };
/** Nothing of our own environment, where the secrets stand: whoever may read a process may read what it was given. */
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
/** In our folder: names the lodging, once the data has moved there. */
const POINTER = 'lodging';

/** Who the server runs as, and what follows from it. Postgres refuses to run as root. */
export interface Identity {
  /** The folder the data directory stands in. */
  home: string;
  /** For child_process. */
  as: { uid?: number; gid?: number; env: typeof ENVIRONMENT };
  command(binary: 'initdb' | 'postgres', args: string[]): { file: string; args: string[] };
  /** Hands a file or folder that we made over to the server. */
  own(file: string): Promise<void>;
}

interface Place {
  /** Where the instance keeps everything, when the server may enter it. */
  folder: string;
  /** `bin`, `lib`, `share` */
  native: string;
  /** Where folders for another user are made; by default /var/lib/tallyhook. */
  lodgings?: string;
  /** False: as if the system refused it. */
  unshare?: boolean;
}

/**
 * A common user: ourselves. Root, or a user whom the system has no name for: under another number in a user namespace,
 * where our own files stay ours, also inside a folder that only we can enter. Root, where the system refuses that: another
 * user, with copies of binaries and data.
 */
export async function chooseIdentity(place: Place): Promise<Identity> {
  const ourselves = direct(place);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && hasName()) return ourselves;
  const moved = homeOf(place.folder) !== place.folder;
  if (!moved && place.unshare !== false) {
    const unshared = inNamespace(ourselves);
    if (await works(unshared)) return unshared;
  }
  return isRoot ? lodge(place) : ourselves;
}

/** initdb refuses to work for a user that the system has no name for, as containers often run with. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function inNamespace(ourselves: Identity): Identity {
  return {
    ...ourselves,
    command: (binary, args) => {
      const inner = ourselves.command(binary, args);
      return { file: 'unshare', args: [...UNSHARE, inner.file, ...inner.args] };
    },
  };
}

/** Where the data directory of an instance stands. */
export function homeOf(folder: string): string {
  const pointer = path.join(folder, POINTER);
  return existsSync(pointer) ? readFileSync(pointer, 'utf8') : folder;
}

function direct(place: Pick<Place, 'folder' | 'native'>): Identity {
  return {
    home: place.folder,
    as: { env: ENVIRONMENT },
    command: (binary, args) => ({ file: path.join(place.native, 'bin', binary), args }),
    own: async () => {},
  };
}

async function works(identity: Identity): Promise<boolean> {
  const { file, args } = identity.command('postgres', ['--version']);
  return promisify(execFile)(file, args, { ...identity.as, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

async function lodge({ folder, native, lodgings = '/var/lib/tallyhook' }: Place): Promise<Identity> {
  const name = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 16);
  const known = homeOf(folder);
  const home = known === folder ? path.join(lodgings, name) : known;
  const user = await findUser('postgres');
  await mkdir(home, { recursive: true, mode: 0o755 });
  await chmod(home, 0o700);
  await chown(home, user.uid, user.gid);
  const copy = path.join(home, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  const data = path.join(folder, 'data');
  if (existsSync(data)) {
    await cp(data, path.join(home, 'data'), { recursive: true, preserveTimestamps: true });
    await rename(data, `${data}.moved`);
  }
  await chownTree(home, user);
  await writeFile(path.join(folder, POINTER), home, { mode: 0o600 });
  return {
    ...direct({ folder: home, native: copy }),
    as: { ...user, env: ENVIRONMENT },
    own: (file) => chown(file, user.uid, user.gid),
  };
}

async function findUser(name: string): Promise<{ uid: number; gid: number }> {
  const lines = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const fields = lines
    .split('\n')
    .map((line) => line.split(':'))
    .find(([user]) => user === name);
  return fields ? { uid: Number(fields[2]), gid: Number(fields[3]) } : NOBODY;
}

/** Everything in the folder, and the folder, to another user. */
async function chownTree(folder: string, owner: { uid: number; gid: number }): Promise<void> {
  await lchown(folder, owner.uid, owner.gid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    await lchown(path.join(entry.parentPath, entry.name), owner.uid, owner.gid);
}
