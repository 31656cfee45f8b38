import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import { periodFiles, readPeriodFile } from '../records/books/period-files.js';
import type { Site } from './page-router.js';
import { Problem } from './problem.js';

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The files of closed months, as they were stored. */
export function downloads({ deps: { db }, sessions }: Site): Router {
  const router = Router();
  router.get('/periods/:month/files/:name', async (req, res) => {
    if ((await sessions.find(req)) === null) throw new Problem(401, 'Not signed in', 'Sign in first.');
    const { month, name } = req.params;
    const file = (await periodFiles(db, month)).find((one) => one.name === name);
    if (file === undefined) throw new Problem(404, 'Not found', 'The month has no such file, or it is not closed.');
    res.set({
      'Content-Type': types[file.format] ?? 'text/plain; charset=utf-8',
      'Content-Length': String(file.bytes),
      'Content-Disposition': `attachment; filename="${file.name}"`,
      'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    });
    try {
      await pipeline(Readable.from(readPeriodFile(db, file.id)), res);
    } catch (error) {
      // Whoever asked went away: there is nobody to tell.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    }
  });
  return router;
}
