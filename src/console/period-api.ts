import type { Request, Router } from 'express';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { z } from 'zod';
import { checkPeriod } from '../finance/periods/check-period.js';
import { type ClosingDeps, closePeriod } from '../finance/periods/close-period.js';
import { reopenPeriod } from '../finance/periods/reopen-period.js';
import { getPeriod } from '../records/books/periods.js';
import { actorOf, allow } from './authenticate.js';
import { Problem } from './problem.js';

/** What closing a month needs besides the database. */
export interface BooksSettings extends Pick<ClosingDeps, 'timeZone' | 'currency' | 'table'> {
  chart: () => Promise<ClosingDeps['chart']>;
}

interface PeriodDeps {
  db: Knex;
  log: Logger;
  books: BooksSettings;
}

const text = z.string().trim().min(1).max(2000);
const closeBody = z.strictObject({ reason: text.nullable().default(null) });
const reopenBody = z.strictObject({ reason: text });

/** What is missing to close a month; closing and reopening it (finance). */
export function addPeriodActions(api: Router, { db, log, books }: PeriodDeps): void {
  api.get('/periods/:id/check', async (req, res) => {
    res.json(await checkPeriod(db, monthOf(req), { ...books, now: new Date() }));
  });
  api.post('/periods/:id/close', allow('finance'), async (req, res) => {
    const month = monthOf(req);
    const { reason } = parse(closeBody, req.body ?? {});
    const deps = { ...books, chart: await books.chart(), db, log, now: () => new Date() };
    const result = await closePeriod(deps, { month, actor: actorOf(req).name, reason });
    if (result.outcome === 'refused') {
      throw new Problem(409, 'Conflict', `${month} stays open: ${result.missing.map(({ told }) => told).join('; ')}.`, {
        missing: result.missing,
      });
    }
    res.json(await getPeriod(db, month));
  });
  api.post('/periods/:id/reopen', allow('finance'), async (req, res) => {
    const month = monthOf(req);
    const { reason } = parse(reopenBody, req.body ?? {});
    const result = await reopenPeriod(db, { month, actor: actorOf(req).name, reason });
    if (result.outcome === 'refused') throw new Problem(409, 'Conflict', `${month} stays as it is: ${result.why}.`);
    res.json(await getPeriod(db, month));
  });
}

function monthOf(req: Request): string {
  const month = String(req.params['id']);
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month;
  throw new Problem(400, 'Bad request', 'A month is written such as 2026-10.', { parameter: 'id' });
}

function parse<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new Problem(400, 'Bad request', `The body is not right: ${problems.join('; ')}.`);
}
