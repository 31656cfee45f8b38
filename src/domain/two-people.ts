import { mayDo, type Role } from './console-roles.js';
import { shortened } from './in-words.js';

/** What finance decides by two people where FOUR_EYES is on, as the audit names it, with the roles that each needs besides admin. */
export const gated = {
  'attribute balance': ['finance'],
  'rebook attribution': ['finance'],
  'write off break': ['finance'],
  'import rates': ['finance'],
  'mark settlement': ['finance'],
  'close period': ['finance'],
  'reopen period': ['finance'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;
export type GatedAction = keyof typeof gated;
export const gatedActions = Object.keys(gated) as [GatedAction, ...GatedAction[]];

/** `expired`: what it was about has changed since, so that nobody saw what would be done. */
export const decisionStates = ['waiting', 'approved', 'refused', 'withdrawn', 'expired'] as const;
export type DecisionState = (typeof decisionStates)[number];

/** `role` null: a user of the operating system, to whom no token gives one. */
export interface Person {
  name: string;
  role: Role | null;
}

export const verdicts = ['approve', 'refuse', 'withdraw'] as const;
export type Verdict = (typeof verdicts)[number];

/** What was asked, as far as the rule reads it. */
export interface Asked {
  action: GatedAction;
  state: DecisionState;
  askedBy: string;
  /** A hash of what the asker was shown. */
  seen: string;
}

/** Whoever has two names that differ in capitals, or are a user of the operating system and a token, counts once. */
export const isSamePerson = (one: string, other: string): boolean => personOf(one) === personOf(other);

const personOf = (name: string): string => name.replace(/^os:/, '').toLowerCase();

/** In a sentence; null: they may. Who asks has a token, as who decides: else one person could ask as a user of the operating system. */
export function whyNotAsk({ name, role }: Person, action: GatedAction): string | null {
  if (role === null) return needsToken(name);
  return mayDo({ role }, gated[action]) ? null : needs(action, role);
}

const needsToken = (name: string): string =>
  `${name} has no role: set TALLYHOOK_TOKEN to a token of your own, one of CONSOLE_TOKENS`;

/** In a sentence; null: they may. */
export function whyNotDecide(verdict: Verdict, { name, role }: Person, asked: Asked): string | null {
  const { action, state, askedBy } = asked;
  const isOwn = isSamePerson(name, askedBy);
  if (state !== 'waiting') return `It is ${state} already`;
  if (verdict === 'withdraw') return isOwn ? null : `Only ${askedBy}, who asked, can withdraw it`;
  if (isOwn) return `${askedBy} asked for it: another person decides`;
  if (role === null) return needsToken(name);
  return mayDo({ role }, gated[action]) ? null : needs(action, role);
}

/** What becomes of it. `now`: a hash of what it would come to; the action is done only where it is `approved`. */
export function stateAfter(verdict: Verdict, { seen }: Asked, now: string | null): DecisionState {
  if (verdict === 'approve') return now === seen ? 'approved' : 'expired';
  return verdict === 'refuse' ? 'refused' : 'withdrawn';
}

/** So many differences are named: a sentence stays one. */
const MOST_DIFFERENCES = 8;
/** Lines that begin alike, but for their figures, say the same thing. */
const aboutOf = (line: string): string => line.replaceAll(/-?\d[\d.]*/g, '#').slice(0, 20);

/** How what a decision would come to differs, line by line, from what its asker was shown; in a sentence. */
export function whatDiffers(shown: readonly string[], now: readonly string[]): string {
  const gone = shown.filter((line) => !now.includes(line));
  const come = now.filter((line) => !shown.includes(line));
  const alike = (line: string, lines: readonly string[]) => lines.filter((one) => aboutOf(one) === aboutOf(line));
  const pairs = gone.flatMap((was) => {
    const [is, ...others] = alike(was, come);
    return is === undefined || others.length > 0 || alike(was, gone).length > 1 ? [] : [{ was, is }];
  });
  const differences = [
    ...pairs.map(({ was, is }) => `not “${was}” but “${is}”`),
    ...gone.filter((line) => !pairs.some(({ was }) => was === line)).map((line) => `no longer “${line}”`),
    ...come.filter((line) => !pairs.some(({ is }) => is === line)).map((line) => `new is “${line}”`),
  ];
  return differences.length === 0
    ? 'each line of it is the same, but not what is behind them, such as the evidence of a break'
    : shortened(differences, MOST_DIFFERENCES).join('; ');
}

function needs(action: GatedAction, role: Role): string {
  return `${action} needs the role ${[...gated[action], 'admin'].join(' or ')}, not ${role}`;
}
