import type { z } from 'zod';

const LEAST_CHARACTERS = 16;

/** What stands in our documents in place of a value, or stood there: whoever gives it has copied it, and so has everybody else. */
const OF_DOCUMENTS = ['a-token-of-your-own', 'a-token-for-the-drill'];
/** In what people make up themselves: words that ask for another value, and what a shell was to fill in. */
const ASKS_FOR_ANOTHER =
  /^(whsec_)?[<[{(]*(change|replace|your|insert|example|placeholder|todo|fill)([-_. ]|me|in|this|$)|\$[({]/i;

/** One that was issued to us is taken as it is, but for what our own documents write in its place. */
export function isOfDocuments(secret: string): boolean {
  return OF_DOCUMENTS.includes(secret) || secret.includes('…');
}

/** What is wrong with a secret that people make up: a clause of an error; null where nothing is. */
export function weakness(secret: string): string | null {
  if (isOfDocuments(secret) || ASKS_FOR_ANOTHER.test(secret)) return 'is an example of the documents';
  return secret.length < LEAST_CHARACTERS ? `has fewer than ${LEAST_CHARACTERS} characters` : null;
}

/** Refuses, with a clause that holds nothing of the value. */
export function refuseSecret(context: z.RefinementCtx, clause: string): never {
  context.addIssue({ code: 'custom', message: clause, params: { isClause: true } });
  return undefined as never;
}
