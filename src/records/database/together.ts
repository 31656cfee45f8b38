/** What a statement behind a failed one of its transaction answers. */
const ABORTED = '25P02';

/**
 * Statements of one transaction that do not need each other's answers: they are sent at once, and the server takes them one
 * after the other, in the order in which they are begun. A query of knex begins when its `then` is called, not when it is made.
 * One that fails makes those behind it fail; its own error is thrown, wherever it stands, once all are answered.
 */
export async function together<const Begun extends readonly Promise<unknown>[]>(
  ...begun: Begun
): Promise<{ -readonly [Index in keyof Begun]: Awaited<Begun[Index]> }> {
  const outcomes = await Promise.allSettled(begun);
  const errors = outcomes.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as Error & { code?: string }] : [],
  );
  const cause = errors.find((error) => error.code !== ABORTED);
  if (cause !== undefined) throw cause;
  return Promise.all(begun);
}
