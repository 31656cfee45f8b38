import { sameJson } from '../../domain/canonical-json.js';
import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { Question } from '../../reconcile/service-reader.js';
import type { Asked } from './questions.js';

export type Verdict = 'works' | 'ignored' | { refused: string } | { notKnown: string };

interface Bench {
  /** Asks under the names on trial; our names. */
  ask: (question: Question) => Promise<Asked>;
  /** The first page without any parameter of the contract. */
  rows: readonly JsonObject[];
  assets: readonly string[];
}

export type ParameterTest = (bench: Bench, name: string) => Promise<Verdict>;

const NOBODY = 'tallyhook-probe';
const NO_ASSET = 'NOSUCHCOIN.NOWHERE';
const FUTURE = '2999-01-01T00:00:00.000Z';
const PAST = '2000-01-01T00:00:00.000Z';
const TOO_LITTLE = { notKnown: 'too little is there to know' };

/** A filter by something that does not exist leaves nothing. An id of the list is an id, but not of that thing. */
export function filtersOut(value: 'nobody' | 'no asset' | 'an id of the list' = 'nobody'): ParameterTest {
  return async ({ ask, rows }, name) => {
    if (rows.length === 0) return TOO_LITTLE;
    const id = value === 'an id of the list' ? idOf(rows[0]) : null;
    const given = id ?? (value === 'no asset' ? NO_ASSET : NOBODY);
    return classify(await ask({ query: { [name]: given } }), ({ rows: left }) => left.length === 0);
  };
}

/** Asks for a state that some row is not in. */
export function filtersStates(states: readonly string[]): ParameterTest {
  return async ({ ask, rows }, name) => {
    const seen = new Set(rows.map((row) => textField(row, 'status')));
    const state = states.find((one) => seen.size > 1 || !seen.has(one));
    if (rows.length === 0 || state === undefined || seen.has(null)) return TOO_LITTLE;
    return classify(await ask({ query: { [name]: state } }), ({ rows: left }) =>
      left.every((row) => textField(row, 'status') === state),
    );
  };
}

export const limitsPages: ParameterTest = async ({ ask, rows }, name) => {
  if (rows.length < 2) return TOO_LITTLE;
  return classify(await ask({ query: { [name]: 1 } }), ({ rows: left }) => left.length <= 1);
};

/** A page that begins after a row does not hold that row. */
export const goesOn: ParameterTest = async ({ ask, rows }, name) => {
  const first = idOf(rows[0]);
  if (first === null || rows.length < 2) return TOO_LITTLE;
  return classify(await ask({ query: { [name]: first } }), ({ rows: left }) =>
    left.every((row) => idOf(row) !== first),
  );
};

/** The same where the service hands out cursors; needs a page size that works. */
export const continuesAtCursor: ParameterTest = async ({ ask }, name) => {
  const page = await ask({ query: { take: 1 } });
  if (page.kind !== 'answer') return { notKnown: page.problem };
  // Rows that came meanwhile stand before the page, so it is the page's own first row that must be gone.
  const first = idOf(page.rows[0]);
  if (page.nextCursor === null || first === null) return TOO_LITTLE;
  const next = await ask({ query: { take: 1, [name]: page.nextCursor } });
  return classify(next, ({ rows: left }) => left.every((row) => idOf(row) !== first));
};

/** Nothing was created after the year 2999, nothing before 2000. */
export function boundsTime(bound: 'from' | 'to'): ParameterTest {
  return async ({ ask, rows }, name) => {
    if (rows.length === 0) return TOO_LITTLE;
    const asked = await ask({ query: { [name]: bound === 'from' ? FUTURE : PAST } });
    return classify(asked, ({ rows: left }) => left.length === 0);
  };
}

/** A page is counted, and there is no millionth one: it is empty, or refused. */
export const counts: ParameterTest = async ({ ask }, name) => {
  const verdict = classify(await ask({ query: { [name]: 1 } }), ({ totalCount }) => totalCount !== null);
  if (verdict !== 'works') return verdict;
  const far = classify(await ask({ query: { [name]: 1_000_000 } }), ({ rows }) => rows.length === 0);
  return typeof far === 'object' && 'refused' in far ? 'works' : far;
};

/** What is answered for an asset is not answered for one that does not exist. Not every asset can be settled. */
export const filtersAssets: ParameterTest = async ({ ask, assets }, name) => {
  let verdict: Verdict = { notKnown: 'the catalog shows no asset' };
  for (const asset of assets) {
    const known = await ask({ query: { [name]: asset } });
    if (known.kind === 'answer') return differs(known, await ask({ query: { [name]: NO_ASSET } }));
    verdict = classify(known, () => false);
  }
  return verdict;
};

function differs(known: Asked & { kind: 'answer' }, other: Asked): Verdict {
  if (other.kind === 'failed') return { notKnown: other.problem };
  const isSame = other.kind === 'answer' && sameJson(other.data, known.data);
  return isSame ? 'ignored' : 'works';
}

function classify(asked: Asked, works: (answer: Asked & { kind: 'answer' }) => boolean): Verdict {
  if (asked.kind === 'answer') return works(asked) ? 'works' : 'ignored';
  return asked.kind === 'refused' ? { refused: asked.problem } : { notKnown: asked.problem };
}

const idOf = (row: JsonObject | undefined): string | null => (row === undefined ? null : textField(row, 'id'));
