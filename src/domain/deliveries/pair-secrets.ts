/** How many events that an endpoint of ours brought came under a secret; `of`: all that it brought. */
export interface SecretShare {
  endpointId: string;
  label: string;
  events: number;
  of: number;
}

const MOST = 6;
/** An endpoint signs everything with its one secret; what is lost, or noted and never sent, is the exception. */
const LEAST_SHARE = 0.5;

/**
 * Which endpoint each secret belongs to, by the events that came: the one assignment of secrets to endpoints that the
 * fewest events contradict. While every event comes under both secrets nothing distinguishes them: then what was `known`
 * before decides, or nothing is said. A secret that several endpoints share belongs to none.
 */
export function pairSecrets(shares: readonly SecretShare[], known: ReadonlyMap<string, string>): Map<string, string> {
  const endpoints = [...new Map(shares.map((share) => [share.endpointId, share.of]))]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST);
  const labels = [...new Set(shares.map(({ label }) => label))].slice(0, MOST);
  const costOf = (endpoint: string, label: string | null, all: number): number => {
    if (label === null) return all * 2;
    const share = shares.find((one) => one.endpointId === endpoint && one.label === label);
    if (share === undefined || share.events < all * LEAST_SHARE) return Number.POSITIVE_INFINITY;
    const was = known.get(label);
    return (all - share.events) * 2 + (was === undefined || was === endpoint ? 0 : 1);
  };
  let best: { cost: number; pairs: [string, string][] }[] = [];
  const assign = (at: number, left: readonly string[], cost: number, pairs: [string, string][]): void => {
    if (cost === Number.POSITIVE_INFINITY || cost > (best[0]?.cost ?? Number.POSITIVE_INFINITY)) return;
    const next = endpoints[at];
    if (next === undefined) {
      best = cost === best[0]?.cost ? [...best, { cost, pairs }] : [{ cost, pairs }];
      return;
    }
    const [endpoint, all] = next;
    for (const label of [...left, null]) {
      const rest = left.filter((one) => one !== label);
      const longer: [string, string][] = label === null ? pairs : [...pairs, [label, endpoint]];
      assign(at + 1, rest, cost + costOf(endpoint, label, all), longer);
    }
  };
  assign(0, labels, 0, []);
  const [first, ...others] = best;
  const agreed = (first?.pairs ?? []).filter(([label, endpoint]) =>
    others.every(({ pairs }) => pairs.some((pair) => pair[0] === label && pair[1] === endpoint)),
  );
  const paired = new Set(agreed.map(([, endpoint]) => endpoint));
  return new Map(agreed.filter(([label]) => !isShared(label, shares, paired)));
}

/** An endpoint that has no secret of its own signs with this one all the same. */
function isShared(label: string, shares: readonly SecretShare[], paired: ReadonlySet<string>): boolean {
  return shares.some(
    (share) => share.label === label && !paired.has(share.endpointId) && share.events > share.of * 0.9,
  );
}
