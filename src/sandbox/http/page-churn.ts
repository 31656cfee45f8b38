import { type Merchant, type Service, strikes } from '../service.js';

/** Runs `move` with its number before a page that continues a list, as often as the chance `churn` of the faults says. */
export type PageChurn = (
  merchant: Merchant,
  cursor: string | undefined,
  move: (n: number, cursor: string) => void,
) => void;

export function createPageChurn(service: Service, list: string): PageChurn {
  const counts = new WeakMap<Merchant, number>();
  return (merchant, cursor, move) => {
    if (cursor === undefined) return;
    const n = counts.get(merchant) ?? 0;
    counts.set(merchant, n + 1);
    if (strikes(merchant, service.faults.churn, `churn-${list}`, n)) move(n, cursor);
  };
}
