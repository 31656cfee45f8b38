import { expect, test } from 'vitest';
import { variables } from '../../src/config/variables.js';
import { type Document, readDocuments } from './documents.js';

/** Set for other programs: our tests and benches, the compose file, Node, the shell of a reader. */
const OF_OTHERS =
  /^(TALLYHOOK_(?:ALL|LONG)|UPDATE_(?:SCREENSHOTS|SCHEMA|ARCHITECTURE|DOCS|RULES)|POSTGRES_[A-Z_]+|TALLYHOOK_SECRETS|STOP_GRACE_PERIOD|WEBHOOK_SECRET|NODE_OPTIONS|NO_COLOR|DRILL_URL|SOME_ORDER|PG_VERSION|EXTF_2026|(BENCH|CHAOS|INTERLEAVING)_[A-Z]+)$/;
const known = Object.entries(variables as Record<string, { secret?: true }>).flatMap(([name, { secret }]) =>
  secret ? [name, `${name}_FILE`] : [name],
);

/** Names of the form of a setting, among them those of the form RECONCILE_…_CRON. */
function settingsIn({ text }: Document): string[] {
  return [...new Set([...text.matchAll(/(?<![\w$./-])[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?![\w])/g)].map(([name]) => name))];
}

test('a setting that a document names is there', () => {
  const strangers = readDocuments().flatMap((document) =>
    settingsIn(document)
      .filter((name) => !known.includes(name) && !OF_OTHERS.test(name) && name !== 'NAME_FILE')
      .map((name) => `${document.name}: ${name}`),
  );
  expect(strangers).toEqual([]);
});
