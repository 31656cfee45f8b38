import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '../..');

export interface Document {
  /** From the root of the project, e.g. `docs/operate.md`. */
  name: string;
  text: string;
}

interface CodeBlock {
  /** What stands behind the fence, e.g. `sh`; empty where nothing does. */
  language: string;
  /** The nearest heading above it. */
  heading: string;
  text: string;
}

/** What people read: README, CONTRIBUTING, docs/ and its decisions. */
export function readDocuments(): Document[] {
  const names = ['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).map((name) => `${folder}/${name}`),
  );
  return ['README.md', 'CONTRIBUTING.md', ...names.filter((name) => name.endsWith('.md')).toSorted()].map(readDocument);
}

export function readDocument(name: string): Document {
  return { name, text: readFileSync(path.join(ROOT, name), 'utf8') };
}

export function codeBlocks({ text }: Document): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  let open: CodeBlock | null = null;
  for (const line of text.split('\n')) {
    const fence = /^ *```(.*)$/.exec(line);
    if (fence !== null) {
      if (open !== null) blocks.push(open);
      open = open === null ? { language: fence[1] ?? '', heading, text: '' } : null;
    } else if (open !== null) open.text += `${line}\n`;
    else heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
  }
  if (open !== null) throw new Error(`a fence of "${heading}" has no end`);
  return blocks;
}

/** What stands between single backticks, outside of blocks. */
export function codeSpans({ text }: Document): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/\s+/g, ' '));
}

/** As GitHub makes them of headings. */
export function anchorsOf({ text }: Document): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
