import { once } from 'node:events';
import path from 'node:path';
import { BaseSequencer, createVitest, type TestModule, type TestSpecification } from 'vitest/node';

/** What is played: these test files in this order, with a piece of one module replaced. */
export interface Order {
  module: string;
  change: { start: number; end: number; replacement: string } | null;
  files: string[];
}

export interface Played {
  /** The first test that failed, or what else was wrong; null: all passed. */
  failed: { file: string; test: string } | null;
  /** ms of each file */
  took: Record<string, number>;
  passed: number;
}

class AsGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

/** Plays each order that the parent sends and answers with what came of it, until the parent goes. */
export async function run([database]: string[]): Promise<number> {
  let order: Order | null = null;
  const swap = {
    name: 'swap',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!order?.change || path.relative('.', id.split('?')[0]!) !== order.module) return undefined;
      const { start, end, replacement } = order.change;
      return code.slice(0, start) + replacement + code.slice(end);
    },
  };
  const vitest = await createVitest(
    'test',
    {
      config: false,
      watch: false,
      include: ['test/**/*.test.ts'],
      testTimeout: 60_000,
      hookTimeout: 120_000,
      bail: 1,
      pool: 'threads',
      isolate: false,
      fileParallelism: false,
      reporters: [{}],
      setupFiles: ['test/mutation/same-worlds.ts'],
      globalSetup: database === 'database' ? ['test/support/run-folder.ts', 'test/support/cluster-setup.ts'] : [],
      sequence: { sequencer: AsGiven },
    },
    { plugins: [swap] },
  );
  process.on('message', (message: Order) => {
    // What earlier orders left would be said again, and a mutant of another module played on.
    vitest.state.filesMap.clear();
    for (const one of [order, message]) if (one) vitest.invalidateFile(path.resolve(one.module));
    order = message;
    const specifications = order.files.map((file) => vitest.getRootProject().createSpecification(path.resolve(file)));
    vitest.runTestSpecifications(specifications).then(
      ({ testModules, unhandledErrors }) => process.send?.(summary(testModules, unhandledErrors)),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.send?.('ready');
  await once(process, 'disconnect');
  await vitest.close();
  return 0;
}

function summary(modules: readonly TestModule[], unhandled: unknown[]): Played {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const broken = modules.find((module) => module.state() === 'failed');
  const test = broken && [...broken.children.allTests('failed')][0];
  const failed = broken
    ? { file: broken.relativeModuleId, test: test?.fullName ?? 'the file itself' }
    : unhandled.length > 0
      ? { file: '', test: `unhandled: ${String(unhandled[0]).split('\n')[0]}` }
      : null;
  return {
    failed,
    took: Object.fromEntries(modules.map((module) => [module.relativeModuleId, module.diagnostic().duration])),
    passed: tests.filter((one) => one.result().state === 'passed').length,
  };
}
