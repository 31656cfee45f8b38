import { readFileSync } from 'node:fs';
import { factsPanel, notice, type Section } from './sections.js';
import { id, line, quiet, text, type Value } from './values.js';

/** What the runbook says of one thing. */
interface RunbookSection {
  title: string;
  /** `It means`, `Check`, `Do`, each with its text in Markdown. */
  parts: { label: string; text: string }[];
}

let known: ReadonlyMap<string, RunbookSection> | null = null;

/** The sections of docs/runbook.md, which is shipped beside the program, by their anchors. Empty where the file is not there. */
export function runbookSections(): ReadonlyMap<string, RunbookSection> {
  known ??= new Map(read().split(/^## /m).slice(1).map(sectionOf));
  return known;
}

function read(): string {
  try {
    return readFileSync(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');
  } catch {
    return '';
  }
}

function sectionOf(markdown: string): [anchor: string, RunbookSection] {
  const [title = '', ...lines] = markdown.split('\n');
  const anchor = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
  const bullets = lines.join('\n').matchAll(/^- (.+?): ([^]*?)(?=^- |^$)/gm);
  const parts = [...bullets].map(([, label = '', text = '']) => ({
    label: label.replaceAll('**', ''),
    text: text.replaceAll(/\s+/g, ' ').trim(),
  }));
  return [anchor, { title, parts }];
}

/** Code, links, bold text and emphasis of Markdown; all else is text. */
const MARKS = /`([^`]{1,200})`|\[([^[\]]{1,200})\]\(([^)]{1,200})\)|(\*\*?)(\w[^*]{0,200})\4/g;

/** As values, which are escaped where they are drawn: nothing of the file is taken as HTML, and no link of it is followed. */
export function inlineValue(markdown: string): Value {
  const parts: Value[] = [];
  let from = 0;
  for (const match of markdown.matchAll(MARKS)) {
    const [whole, code, words, target = '', marks, marked] = match;
    if (match.index > from) parts.push(text(markdown.slice(from, match.index)));
    if (code !== undefined) parts.push(id(code));
    else if (words === undefined) parts.push(text(marks === '*' ? `“${marked}”` : marked));
    else parts.push(text(words.replaceAll('`', '')), ...(target.startsWith('#') ? [] : [quiet(` (docs/${target})`)]));
    from = match.index + whole.length;
  }
  if (from < markdown.length) parts.push(text(markdown.slice(from)));
  return line(parts);
}

export function runbookPanel(anchor: string): Section {
  const section = runbookSections().get(anchor);
  if (section === undefined)
    return notice('warn', 'The runbook is not here', `Look for docs/runbook.md#${anchor} where Tallyhook comes from.`);
  return factsPanel(
    `Runbook: ${section.title}`,
    section.parts.map(({ label, text: said }) => [label, inlineValue(said)]),
  );
}
