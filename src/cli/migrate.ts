import type { Command } from 'commander';
import { loadConfig } from '../config.js';
import { createLog } from '../log.js';
import { migrate } from '../records/database.js';
import { openStore } from '../wiring/open-store.js';

export function defineMigrate(command: Command): void {
  command.description('bring both schemas, ours and the queues’, up to date').action(async () => {
    const config = loadConfig();
    const store = await openStore({ config, log: createLog(config.LOG_LEVEL) }, { migrate: false });
    try {
      const ran = await migrate(store.databaseUrl);
      for (const name of ran) process.stdout.write(`${name}\n`);
      process.stderr.write(ran.length > 0 ? `${ran.length} migrations run\n` : 'already up to date\n');
    } finally {
      await store.close();
    }
  });
}
