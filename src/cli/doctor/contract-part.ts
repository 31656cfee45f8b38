import type { Contract } from '../../service-api/contract.js';
import { defaultContract } from '../../service-api/contract.js';

type Tree = { [key: string]: string | Tree };

/** Where a name stands in the contract: `query`, `listInvoices`, `merchantReference`. */
export type PartPath = readonly [string, ...string[]];

export function partOf(contract: Contract, path: PartPath): string {
  const value = path.reduce<string | Tree>(
    (tree, key) => (typeof tree === 'string' ? '' : (tree[key] ?? '')),
    contract,
  );
  return typeof value === 'string' ? value : '';
}

export function withPart(contract: Contract, path: PartPath, value: string): Contract {
  const copy: Tree = structuredClone(contract);
  let tree = copy;
  for (const key of path.slice(0, -1)) {
    const inner = tree[key];
    if (typeof inner === 'object') tree = inner;
  }
  tree[path.at(-1) ?? ''] = value;
  return copy as Contract;
}

/** What a CONTRACT_FILE has to say so that the contract is this one; null where the defaults do. */
export function overridesOf(contract: Contract): Tree | null {
  return differing(contract, defaultContract);
}

function differing(given: Tree, usual: Tree): Tree | null {
  const parts = Object.entries(given).flatMap(([key, value]): [string, string | Tree][] => {
    const other = usual[key];
    if (typeof value === 'string') return value === other ? [] : [[key, value]];
    const inner = typeof other === 'object' ? differing(value, other) : value;
    return inner === null ? [] : [[key, inner]];
  });
  return parts.length === 0 ? null : Object.fromEntries(parts);
}
