import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type * as registry from '../../src/cli/registry.js';
import { type CommandLine, linesOf, tallyhookLines } from './command-lines.js';
import { codeSpans, ROOT, readDocument, readDocuments } from './documents.js';

const documents = readDocuments();
/** What documents give the answer of a verb to. */
const PIPED_INTO = ['head', 'jq'];
const { scripts: written } = JSON.parse(readDocument('package.json').text) as { scripts: Record<string, string> };
const scripts = Object.keys(written);
let program: Command;

/** As it is compiled: every verb is loaded, which is most of the program. */
beforeAll(async () => {
  const { verbs } = (await import(path.join(inject('program'), 'cli/registry.js'))) as typeof registry;
  program = new Command('tallyhook').option('--version').exitOverride();
  for (const { name, load } of verbs) (await load())(program.command(name));
});

/** What no such command takes, in words; nothing where it can be typed as it stands. */
function problemsOf({ words }: Pick<CommandLine, 'words'>): string[] {
  let command = program;
  let given = 0;
  const problems: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const inner = command.commands.find((one) => one.name() === word);
    if (word === '|') {
      // Another verb of the same group, or a pipe into another program.
      const other = command.parent?.commands.find((one) => one.name() === words[at + 1]);
      if (other === undefined) {
        if (!PIPED_INTO.includes(words[at + 1] ?? '')) problems.push(`${words[at + 1]} is no verb beside it`);
        break;
      }
      problems.push(...tooMany(command, given));
      [command, given] = [other, 0];
      at += 1;
    } else if (inner !== undefined && given === 0) command = inner;
    else if (word.startsWith('--')) at += optionWidth(command, word, problems);
    else given += 1;
  }
  return [...problems, ...tooMany(command, given)];
}

/** How many words behind it belong to it. */
function optionWidth(command: Command, word: string, problems: string[]): number {
  const [flag, value] = word.split('=', 2);
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined && flag !== '--help') problems.push(`${command.name()} has no option ${flag}`);
  return value === undefined && (option?.required || option?.optional) ? 1 : 0;
}

function tooMany(command: Command, given: number): string[] {
  const takes = command.registeredArguments;
  if (takes.some(({ variadic }) => variadic) || given <= takes.length) return [];
  if (command.commands.length > 0) return [`${command.name()} has no verb of that name`];
  return [`${command.name()} takes ${takes.length} words, not ${given}`];
}

function wrongOf(lines: readonly CommandLine[]): string[] {
  return lines.flatMap((line) => problemsOf(line).map((problem) => `${line.document}: ${line.line}: ${problem}`));
}

describe('a command in the documents', () => {
  it('exists, with these verbs and options', () => {
    const lines = documents.flatMap(tallyhookLines);
    expect(lines.length).toBeGreaterThan(60);
    expect(wrongOf(lines)).toEqual([]);
  });

  it.each([
    ['frobnicate', 'no verb'],
    ['secrets forget old', 'no verb'],
    ['secrets status --verbose', 'no option --verbose'],
    ['reconcile all --fast', 'no option --fast'],
    ['events list | prune', 'prune is no verb'],
    ['events list extra', 'takes 0 words'],
  ])('that is not there would be found: %s', (text, problem) => {
    expect(problemsOf({ words: text.split(' ') }).join()).toContain(problem);
  });

  it('of npm exists', () => {
    const lines = documents.flatMap((document) => linesOf(document, /(?:^|\s)npm /));
    expect(lines.length).toBeGreaterThan(8);
    const named = lines.flatMap(({ words: [verb = '', name = ''] }) => {
      if (verb === 'run') return name;
      return ['start', 'test'].includes(verb) ? verb : [];
    });
    expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
  });

  it('of npm that tests is explained to contributors', () => {
    const explained = codeSpans(readDocument('CONTRIBUTING.md')).map((span) => span.replace(/^npm (run )?/, ''));
    expect(scripts.filter((name) => /^test\b/.test(name) && !explained.includes(name))).toEqual([]);
  });

  it('names tests that are there', () => {
    const lines = documents.flatMap((document) => linesOf(document, /(?:^|\s)npx vitest run /));
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.filter(({ words: [name = ''] }) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });
});

describe('a verb', () => {
  it('is named in a document', () => {
    const documented = new Set(documents.flatMap(tallyhookLines).flatMap(({ words }) => words));
    expect(program.commands.map((one) => one.name()).filter((name) => !documented.has(name))).toEqual([]);
  });
});
