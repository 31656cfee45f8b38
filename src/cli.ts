#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { verbs } from './cli/registry.js';
import { AppError, ConfigError, UsageError } from './errors.js';
import { versionText } from './version.js';

/** Builds the program; only the verb that was asked for is loaded, so that a quick question has a quick answer. */
async function buildProgram(argv: readonly string[], refuse: (text: string) => void): Promise<Command> {
  const program = new Command('tallyhook')
    .description('Receives every signed webhook once, and proves the records against the service’s own lists.')
    .version(versionText)
    .showHelpAfterError('(see tallyhook help)')
    // Of a long word too, what it means goes on in the next line.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ writeErr: refuse })
    .exitOverride();
  const words = argv.filter((word) => !word.startsWith('-'));
  const asked = words[0] === 'help' ? words[1] : words[0];
  for (const { name, summary, load } of verbs) {
    const command = program.command(name).summary(summary).description(summary).exitOverride();
    if (name === asked) (await load())(command);
  }
  return program;
}

async function main(argv: readonly string[]): Promise<void> {
  let refused = '';
  try {
    const program = await buildProgram(argv, (text) => (refused += text));
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
    const said = error instanceof CommanderError ? refused.trimEnd() : explain(error);
    if (said !== '') (await import('./cli/print.js')).printNote(said);
  }
}

/** Interface: "Exit: 0 fine, 1 failed, 2 usage or configuration". Commander also throws after --help, with 0. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
}

/** What was foreseen is said in words; what was not comes with where it happened. */
function explain(error: unknown): string {
  if (error instanceof AppError) {
    const remedy = 'remedy' in error && typeof error.remedy === 'string' ? `\n  ${error.remedy}` : '';
    return error.message + remedy;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// A reader such as `head` may leave before all is written: what was found still decides the exit code.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

await main(process.argv.slice(2));
