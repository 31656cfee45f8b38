/** Items by a key of theirs, each list in the order given. */
export function grouped<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  return groupedPairs(items.map((item) => [keyOf(item), item]));
}

export function groupedPairs<Key, Value>(pairs: readonly (readonly [Key, Value])[]): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
