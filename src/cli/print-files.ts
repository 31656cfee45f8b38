import path from 'node:path';
import type { PlannedFile } from '../finance/exports/write-folder.js';
import { printList } from './print.js';

/** Files that were written, with what there is to say about them. */
export function printFiles({ files: items, ...about }: { files: PlannedFile[] }, json: boolean): void {
  printList({ ...about, items }, json, {
    file: (item) => item.name,
    bytes: (item) => item.bytes,
    sha256: (item) => item.sha256,
  });
}

/** Files that would be written to a folder, and that none was. */
export function printPlan(plan: { files: PlannedFile[] }, { dir, json }: { dir: string; json: boolean }): void {
  const whole = path.resolve(dir);
  const planned = { ...plan, dryRun: true, dir: whole };
  printFiles(planned, json);
  if (!json) process.stderr.write(`nothing was written; it would be to ${whole}\n`);
}
