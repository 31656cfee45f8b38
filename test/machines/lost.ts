/** What is measured, or counted, at the moment of asking; what names the program, and prose for people. */
const OF_THE_MOMENT =
  /(?:\.(?:age|ago|seconds|now|version|commit|description|summary)|Age|Ago|Seconds|Ms|Now|Version|Commit|checkedAt|readAt|generatedAt)$/;

/** What of an answer an earlier one held and the later one does not, or says otherwise, each with its place. More may be said. */
export function lost(before: unknown, after: unknown, at: string): string[] {
  if (OF_THE_MOMENT.test(at) && typeof before === typeof after) return [];
  if (Array.isArray(before)) {
    const kept = before.filter((one) => !isNoChange(one));
    if (kept.length < before.length) return lost(kept, after, at);
    if (!Array.isArray(after)) return [said(at, before, after)];
    if (before.every((one) => typeof one === 'string'))
      return before.filter((one) => !after.includes(one)).map((one) => said(at, one, undefined));
    if (before.every(isNamed) && after.every(isNamed)) return lost(byName(before), byName(after), at);
    if (before.length !== after.length) return [said(`${at}.length`, before.length, after.length)];
    return before.flatMap((one, nth) => lost(one, after[nth], `${at}[${nth}]`));
  }
  if (typeof before === 'object' && before !== null) {
    if (typeof after !== 'object' || after === null) return [said(at, before, after)];
    return Object.entries(before).flatMap(([key, one]) => lost(one, Reflect.get(after, key), `${at}.${key}`));
  }
  return before === after ? [] : [said(at, before, after)];
}

/** Earlier versions kept changes from nothing to nothing; they are passed over. */
function isNoChange(one: unknown): boolean {
  return (
    typeof one === 'object' && one !== null && 'from' in one && 'to' in one && one.from === null && one.to === null
  );
}

/** What is one of its list by a name of its own, or by the log that it is of. */
function nameOf(one: unknown): string | null {
  const { name, log }: { name?: unknown; log?: unknown } = typeof one === 'object' && one !== null ? one : {};
  return [name, log].find((said) => typeof said === 'string') ?? null;
}

const isNamed = (one: unknown) => nameOf(one) !== null;
const byName = (all: readonly unknown[]) => Object.fromEntries(all.map((one) => [nameOf(one), one]));

function said(at: string, before: unknown, after: unknown): string {
  return `${at}: ${JSON.stringify(before)?.slice(0, 120)} is now ${JSON.stringify(after)?.slice(0, 120)}`;
}
