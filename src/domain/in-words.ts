/** How long, in the greatest unit that says enough: `3 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** A count of things in words: `1 break`, `3 breaks`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${groups(String(n))} ${n === 1 ? one : many}`;
}

/** Digits of a whole number with thin groups of three, where there are many. */
export function groups(digits: string): string {
  return /^\d{5,}$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, ' ') : digits;
}
