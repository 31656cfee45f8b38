export const everyRole = ['viewer', 'operator', 'finance', 'admin'] as const;

/** Of an entry of CONSOLE_TOKENS: what may be seen and done. */
export type Role = (typeof everyRole)[number];

export interface Actor {
  name: string;
  role: Role;
}

/** Admin may everything. */
export function mayDo({ role }: Pick<Actor, 'role'>, allowed: readonly Role[]): boolean {
  return role === 'admin' || allowed.includes(role);
}
