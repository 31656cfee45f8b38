/**
 * Statements of one transaction that do not need each other's answers: they are sent at once, in the order given, and the server
 * takes them one after the other. A query of knex begins when its `then` is called, not when it is made. One that fails
 * makes those behind it fail; its error is thrown, once all are answered.
 */
export async function together<const Begun extends readonly Promise<unknown>[]>(
  ...begun: Begun
): Promise<{ -readonly [Index in keyof Begun]: Awaited<Begun[Index]> }> {
  await Promise.allSettled(begun);
  return Promise.all(begun);
}
