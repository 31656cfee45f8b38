/** Made once for each record: worlds ask for the same again and again. */
export function onceEach<K extends string, T>(make: (kind: K, id: string) => T): (kind: K, id: string) => T {
  const made = new Map<string, T>();
  return (kind, id) => {
    const known = made.get(`${kind} ${id}`) ?? make(kind, id);
    made.set(`${kind} ${id}`, known);
    return known;
  };
}
