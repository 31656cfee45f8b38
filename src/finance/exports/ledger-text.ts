import type { EntryView } from '../../domain/views/books-shapes.js';

/** A text of others in one line of a journal: nothing in it ends the line, begins a comment or closes a string. */
export function plainWords(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(/[";|\\]/g, '_')
    .trim();
}

/** What an entry is about, for those who look it up here. */
export function entryTags(entry: EntryView): [string, string][] {
  const tags: [string, string | null][] = [
    ['entry', entry.id],
    ['record', `${entry.recordKind} ${entry.recordId}`],
    ['at', entry.at],
    ['adjusts', entry.adjusts],
    ['reverses', entry.reverses],
    ['corrects', entry.corrects],
  ];
  return tags.flatMap(([name, value]) => (value === null ? [] : [[name, plainWords(value)] as [string, string]]));
}
