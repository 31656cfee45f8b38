import { codeBlocks, codeSpans, type Document } from './documents.js';

/** A line in which a document says what may be typed. */
export interface CommandLine {
  document: string;
  /** As it stands there. */
  line: string;
  /** Words behind the program, alternatives not yet split. */
  words: string[];
}

const PROGRAM = /(?:^|[\s(;&])(?:npx )?tallyhook(?: |$)/;

/** Every use of `program` in blocks of commands and between backticks. */
export function linesOf(document: Document, program: RegExp): CommandLine[] {
  const blocks = codeBlocks(document).filter(({ language }) => ['', 'sh', 'bash'].includes(language));
  const typed = blocks.flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  return [...typed, ...codeSpans(document)].flatMap((line) =>
    withoutComment(line)
      .split(/&&|;|\|\|/)
      .flatMap((part) => {
        const found = program.exec(part);
        if (found === null) return [];
        const rest = part.slice(found.index + found[0].length);
        return { document: document.name, line: line.trim(), words: wordsOf(withoutExplanation(rest)) };
      }),
  );
}

export function tallyhookLines(document: Document): CommandLine[] {
  return linesOf(document, PROGRAM);
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)# .*$/, '');
}

/** In a table of commands two spaces or more part what is typed from what it does. */
function withoutExplanation(text: string): string {
  return text.replace(/^(\S.*?) {2,}.*$/, '$1');
}

/** As a shell parts them, as far as documents need it; what may be left out is taken as given. */
function wordsOf(text: string): string[] {
  const found = text
    .replaceAll(/[[\]]|(?<=\s)…(?=\s|\]|$)/g, ' ')
    .replace(/\s(>|<|2>).*$/, '')
    .match(/"[^"]*"|'[^']*'|\S+/g);
  return (found ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
