import { isLong } from '../../support/drill.js';

export interface DrillSizes {
  seed: number;
  /** Each from before adoption and live ones together. */
  payments: number;
  invoices: number;
  payouts: number;
  wallets: number;
  movements: number;
}

const usual: DrillSizes = isLong
  ? { seed: 1, payments: 2_000, invoices: 300, payouts: 200, wallets: 50, movements: 3_000 }
  : { seed: 1, payments: 120, invoices: 30, payouts: 20, wallets: 8, movements: 200 };

/** By DRILL_SEED, DRILL_PAYMENTS, DRILL_INVOICES, DRILL_PAYOUTS, DRILL_WALLETS and DRILL_MOVEMENTS, where they are set. */
export function drillSizes(): DrillSizes {
  const names = Object.keys(usual) as (keyof DrillSizes)[];
  const given = names.flatMap((name) => {
    const text = process.env[`DRILL_${name.toUpperCase()}`];
    return text === undefined ? [] : [[name, Number(text)] as const];
  });
  return { ...usual, ...Object.fromEntries(given) };
}
