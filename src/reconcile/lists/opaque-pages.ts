import type { JsonObject } from '../../domain/json.js';
import { ownText } from '../../domain/plain-text.js';
import { textField } from '../../domain/records.js';
import type { Answer } from '../service-reader.js';
import { SURELY_SHORT } from './scan-list.js';

/** A page that names the cursor of the next one; null: there is none. */
export interface CursoredPage extends Answer<JsonObject[]> {
  next: string | null;
}

/** `token`: the cursor of the page that showed the row that was asked for; null: that was the head. `more`: a page follows. */
export type RowsBelow = Answer<JsonObject[]> & { token: string | null; more: boolean };

interface KnownPage {
  /** What it was asked for by; null: the head. */
  cursor: string | null;
  /** Of the ids of its rows: a list may be long. Two ids of one hash cost a call. */
  hashes: Uint32Array;
  next: string | null;
}

/** Pages read only to come to a row further down, in all: what lies deeper is left to the full scan. */
const MOST_SCANNED = 50;
/** A cursor may lead to a page that shows nothing and names another one, as where rows are filtered after they are looked up. */
const MOST_EMPTY = 5;
/** So often a page is read again to find out what follows on it. */
const TRIES = 3;

/**
 * A list that is paged by cursors of the service's own making, asked for by the id of a row: the rows below it are what is left
 * of its page and the next page. The page is read once more after the next one: what moved up into it meanwhile would be in
 * neither of the two, where cursors are places in the list. Of rows that were read a page ago it says so: `from` is theirs.
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

  /** Goes on below the page of this cursor, which an earlier poll has come to. A cursor that is refused changes nothing. */
  async resume(token: string): Promise<void> {
    const answer = await this.#fetch(token);
    if (answer !== null && answer.data.length > 0) this.#add(token, answer);
  }

  /** Whether rows follow on the head. Searched for where it is so short that it could be all of the list, though it names a cursor. */
  async leadsOn(): Promise<boolean> {
    const [head] = this.#pages;
    if (!head || head.next === null) return false;
    return head.hashes.length >= SURELY_SHORT || (await this.#fetch(head.next))?.data.length !== 0;
  }

  /** Null: the row was not met, within the pages that are read for that, or it is not shown what follows on it. */
  async below(id: string): Promise<RowsBelow | null> {
    const passed = new Set<KnownPage>();
    for (let n = 0; n < TRIES; n += 1) {
      const at = await this.#find(id, passed);
      const page = this.#pages[at];
      const answer = page === undefined ? null : await this.#read(page);
      if (page === undefined || answer === null) return null;
      if (rowsAfter(answer, id) !== null) return this.#follow(id, at, answer);
      passed.add(page);
    }
    return null;
  }

  /** No end is taken from an empty page, unless it comes twice, of cursors that were given anew. */
  async #follow(id: string, at: number, first: CursoredPage): Promise<RowsBelow | null> {
    const token = this.#pages[at]?.cursor ?? null;
    let answer = first;
    for (let n = 0; n < TRIES; n += 1) {
      const rest = rowsAfter(answer, id);
      if (rest === null) return null;
      if (answer.next === null) return { data: rest, from: answer.from, to: answer.to, token, more: false };
      const next = await this.#fetchOn(answer.next);
      if (next === null) return null;
      const again = await this.#fetch(token);
      const below = again === null ? null : rowsAfter(again, id);
      if (again === null || below === null) return null;
      const { from } = answer;
      answer = again;
      if (next.answer.data.length > 0) {
        this.#pages.length = at;
        this.#add(token, again);
        this.#add(next.cursor, next.answer);
        const met = new Set(below.map(idOf));
        const news = next.answer.data.filter((row) => !met.has(idOf(row)));
        return { data: [...below, ...news], from, to: again.to, token, more: next.answer.next !== null };
      }
      if (n > 0) return { data: below, from, to: again.to, token, more: false };
    }
    return null;
  }

  /** The page of a cursor, or the first one after it that shows anything; null: refused, or none comes for long. */
  async #fetchOn(cursor: string): Promise<{ cursor: string; answer: CursoredPage } | null> {
    let asked = cursor;
    for (let n = 0; n < MOST_EMPTY; n += 1) {
      const answer = await this.#fetch(asked);
      if (answer === null) return null;
      if (answer.data.length > 0 || answer.next === null) return { cursor: asked, answer };
      asked = answer.next;
    }
    return null;
  }

  /** The page that shows the row; pages beyond those that are known are read for it. -1: none of them. */
  async #find(id: string, passed: ReadonlySet<KnownPage>): Promise<number> {
    const hash = hashOf(id);
    for (;;) {
      const at = this.#pages.findLastIndex((page) => !passed.has(page) && page.hashes.includes(hash));
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

  #add(cursor: string | null, answer: CursoredPage): void {
    const page = knownPage(cursor, answer);
    this.#pages.push(page);
    this.#held = { page, answer };
  }
}

function rowsAfter({ data }: CursoredPage, id: string): JsonObject[] | null {
  const place = data.findIndex((row) => idOf(row) === id);
  return place < 0 ? null : data.slice(place + 1);
}

const idOf = (row: JsonObject): string | null => textField(row, 'id');

/** Kept for as long as the poll lasts: nothing of it may hold the page's text. */
function knownPage(cursor: string | null, { data, next }: CursoredPage): KnownPage {
  return {
    cursor: cursor === null ? null : ownText(cursor),
    hashes: Uint32Array.from(data.flatMap((row) => idOf(row) ?? []).map(hashOf)),
    next: next === null ? null : ownText(next),
  };
}

/** FNV-1a of the text's code units. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}
