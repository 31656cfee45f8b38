export function fee(amount: number, isLarge: boolean): number {
  return isLarge ? amount - 1 : amount;
}
