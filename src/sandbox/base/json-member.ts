/**
 * The text of one member of a JSON object, as it stands there: numbers keep their digits, keys their order, duplicates
 * their place. `text` must be valid JSON. null when there is no such member; the last one counts, as in JSON.parse.
 */
export function jsonMember(text: string, name: string): string | null {
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  let found: string | null = null;
  while (at < text.length && text[at] !== '}') {
    const keyEnd = endOfString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    if (key === name) found = text.slice(start, end);
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

/** The texts of a JSON array's items, as they stand there. `text` must be valid JSON. */
export function jsonItems(text: string): string[] {
  const items: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    items.push(text.slice(at, end));
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return items;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    const char = text.charAt(at);
    if (char === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (char === '' || (depth === 0 && ',}] \t\n\r'.includes(char))) return at;
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    at += 1;
    if (depth === 0 && (char === '}' || char === ']')) return at;
  }
}
