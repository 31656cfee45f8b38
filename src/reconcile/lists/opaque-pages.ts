import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { Answer } from '../deps.js';

/** A page that names the cursor of the next one; null: there is none. */
export interface CursoredPage extends Answer<JsonObject[]> {
  next: string | null;
}

interface KnownPage {
  /** What it was asked for by; null: the head. */
  cursor: string | null;
  ids: string[];
  next: string | null;
}

/** Pages read only to come to a row further down, in all: what lies deeper is left to the readings of the whole list. */
const MOST_SCANNED = 50;

/**
 * A list that is paged by cursors of the service's own making, asked for by the id of a row: the rows below it are what is left
 * of its page and the next page. Cursors are not kept beyond the reading. Of rows that were read a page ago it says so: `from`
 * is theirs.
 */
export class OpaquePages {
  readonly #fetch: (cursor: string | null) => Promise<CursoredPage | null>;
  readonly #pages: KnownPage[];
  #held: { page: KnownPage; answer: CursoredPage };
  #left = MOST_SCANNED;

  /** `fetch`: null where the service refuses the cursor. `head`: its newest page. */
  constructor(fetch: (cursor: string | null) => Promise<CursoredPage | null>, head: CursoredPage) {
    this.#fetch = fetch;
    const page = knownPage(null, head);
    this.#pages = [page];
    this.#held = { page, answer: head };
  }

  /** Null: the row was not met, within the pages that are read for that. */
  async below(id: string): Promise<Answer<JsonObject[]> | null> {
    const at = await this.#find(id);
    const page = this.#pages[at];
    const answer = page === undefined ? null : await this.#read(page);
    if (page === undefined || answer === null) return null;
    const place = answer.data.findIndex((row) => textField(row, 'id') === id);
    if (place < 0) return null;
    const rest = answer.data.slice(place + 1);
    if (answer.next === null) return { data: rest, from: answer.from, to: answer.to };
    const next = await this.#fetch(answer.next);
    if (next === null) return null;
    this.#pages.length = at + 1;
    this.#add(answer.next, next);
    const met = new Set(rest.map((row) => textField(row, 'id')));
    const news = next.data.filter((row) => !met.has(textField(row, 'id')));
    return { data: [...rest, ...news], from: answer.from, to: next.to };
  }

  /** The page that shows the row; pages beyond those that are known are read for it. -1: none of them. */
  async #find(id: string): Promise<number> {
    for (;;) {
      const at = this.#pages.findLastIndex(({ ids }) => ids.includes(id));
      const next = this.#pages.at(-1)?.next ?? null;
      if (at >= 0 || next === null || this.#left <= 0) return at;
      this.#left -= 1;
      const answer = await this.#fetch(next);
      if (answer === null) return -1;
      this.#add(next, answer);
    }
  }

  async #read(page: KnownPage): Promise<CursoredPage | null> {
    return this.#held.page === page ? this.#held.answer : this.#fetch(page.cursor);
  }

  #add(cursor: string, answer: CursoredPage): void {
    const page = knownPage(cursor, answer);
    this.#pages.push(page);
    this.#held = { page, answer };
  }
}

function knownPage(cursor: string | null, { data, next }: CursoredPage): KnownPage {
  return { cursor, ids: data.flatMap((row) => textField(row, 'id') ?? []), next };
}
