import { defaultChart } from '../../src/domain/books/chart.js';
import { importRatesFile } from '../../src/finance/import-rates.js';

/** Takes a file of rates, and accepts by its name all that is asked about. */
export async function giveRates(
  text: string,
  about: Omit<Parameters<typeof importRatesFile>[1], 'dryRun' | 'accepted' | 'actor' | 'now' | 'chart'> & {
    now?: Date;
  },
): Promise<void> {
  for (const accepted: string[] = []; ; ) {
    const result = await importRatesFile(text, {
      now: new Date(),
      chart: defaultChart,
      ...about,
      actor: 'ann',
      dryRun: false,
      accepted,
    });
    if (result.outcome === 'done') return;
    if (result.outcome !== 'asks') throw new Error(JSON.stringify(result));
    accepted.push(
      ...result.problems.flatMap(
        (told) => /^(?:line (\d+)|([-\d]+(?::[^ ]+)?)): /.exec(told)?.slice(1).find(Boolean) ?? [],
      ),
    );
  }
}
