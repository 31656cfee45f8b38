export function sumTo(most: number): number {
  let sum = 0;
  for (let i = 1; i <= most; i += 1) sum += i;
  return sum;
}
