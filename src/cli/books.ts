import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { importRatesFile } from '../finance/import-rates.js';
import { cliActor } from './actor.js';
import { printJson } from './print.js';
import { withStore } from './with-store.js';

export function defineBooks(command: Command): void {
  command.description('the books: rates that finance gives');
  const rates = command.command('rates').description('what assets are worth in the reporting currency');
  rates
    .command('import <file>')
    .description(
      'take a CSV file date,asset,currency,rate, all or nothing; what is posted in open months is valued anew',
    )
    .option('--dry-run', 'only check the file')
    .action(async (file: string, { dryRun = false }: { dryRun?: boolean }) => {
      const text = await readGiven(file);
      await withStore(async ({ db, config }) => {
        const timeZone = config.BOOKS_TIMEZONE;
        const result = await importRatesFile(text, { db, now: new Date(), timeZone, actor: cliActor(), dryRun });
        if (result.outcome === 'refused')
          throw new UsageError([`${file}: nothing was taken`, ...result.problems].join('\n    '));
        printJson(result);
      });
    });
}

async function readGiven(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} can't be read.`, { cause: error });
  }
}
