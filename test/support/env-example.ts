import type { Variable } from '../../src/config/variable.js';

type Groups = Readonly<Record<string, Readonly<Record<string, Variable>>>>;

/** .env.example, out of the table of variables. */
export function envExample(groups: Groups): string {
  const parts = Object.entries(groups).map(([title, variables]) =>
    [`# --- ${title}`, ...Object.entries(variables).map(([name, variable]) => entryOf(name, variable))].join('\n'),
  );
  return [
    `# Copy to .env and fill in. What stands behind # is the default, or an example; docs/configuration.md says more.
# A secret may also come from a file: NAME_FILE=/run/secrets/name. One new line at its end is cut off.`,
    ...parts,
  ]
    .join('\n\n')
    .concat('\n');
}

function entryOf(name: string, { meaning, neededBy, fallback, example, source }: Variable): string {
  const made = /^made up by you, e\.g\. (\S.*)$/.exec(source ?? '')?.[1];
  const value = neededBy === undefined ? `# ${name}=${fallback ?? example ?? made ?? ''}` : `${name}=`;
  return [`# ${meaning}${neededBy === undefined ? '' : ' Required.'}`, value].join('\n');
}
