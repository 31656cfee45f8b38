import { createVitest } from 'vitest/node';

/** Runs `run` of a module of this folder, which is TypeScript: `node test/mutation/run.mjs main.ts …`. */
const [name, ...rest] = process.argv.slice(2);
const loader = await createVitest('test', { config: false, watch: false, reporters: [{}] });
const { run } = await loader.import(new URL(name, import.meta.url).pathname);
process.exitCode = await run(rest);
await loader.close();
