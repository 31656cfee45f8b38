/** Rejects where there is no answer in time; what was asked goes on. */
export async function within<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([ask(), late]).finally(() => clearTimeout(timer));
}
