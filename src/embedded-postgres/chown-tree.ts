import { lchown, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Everything in the folder, and the folder, to another user. */
export async function chownTree(folder: string, owner: { uid: number; gid: number }): Promise<void> {
  await lchown(folder, owner.uid, owner.gid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(path.join(entry.parentPath, entry.name), owner.uid, owner.gid);
  }
}
