import { isDeepStrictEqual } from 'node:util';
import { type Contract, defaultContract } from '../../service-api/contract.js';
import { type Check, finding } from './check.js';
import type { Ask } from './questions.js';

/** A search for the names that the service uses. */
export interface Probing {
  ask: Ask;
  /** With every name that was found so far. */
  contract: Contract;
}

type Tree = Record<string, unknown>;

/** Where a name stands in the contract: `query`, `listInvoices`, `merchantReference`. */
export type PartPath = readonly [string, ...string[]];

export function partOf(contract: Contract, path: PartPath): string {
  const value = path.reduce<unknown>((tree, key) => (isTree(tree) ? tree[key] : undefined), contract);
  return typeof value === 'string' ? value : '';
}

/** What is probed: where it stands, what it is so far, and the name of its check. */
export function placeIn(contract: Contract, ...at: PartPath): { at: PartPath; usual: string; name: string } {
  return { at, usual: partOf(contract, at), name: `contract ${at.join('.')}` };
}

export function withPart(contract: Contract, path: PartPath, value: string): Contract {
  const copy = structuredClone(contract);
  let tree: Tree = copy;
  for (const key of path.slice(0, -1)) {
    const inner = tree[key];
    if (isTree(inner)) tree = inner;
  }
  tree[path.at(-1) ?? ''] = value;
  return copy;
}

/** It stands elsewhere: from now on it is looked for there. */
export function foundAt(probing: Probing, at: PartPath, other: string, found: string): Check {
  const part = at.join('.');
  probing.contract = withPart(probing.contract, at, other);
  return finding(`contract ${part}`, found, `set ${part} to "${other}" in CONTRACT_FILE`);
}

/** What a CONTRACT_FILE has to say so that the contract is this one; null where the defaults do. */
export const overridesOf = (contract: Contract): Tree | null => differing(contract, defaultContract);

function differing(given: Tree, usual: Tree): Tree | null {
  const parts = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    const other = usual[key];
    if (!isTree(value) || !isTree(other)) return isDeepStrictEqual(value, other) ? [] : [[key, value]];
    const inner = differing(value, other);
    return inner === null ? [] : [[key, inner]];
  });
  return parts.length === 0 ? null : Object.fromEntries(parts);
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
