import type { JsonObject } from './json.js';
import { compareStatements, type Statement } from './record-state.js';
import { type Axis, type RecordRules, rankOn, stateOn, textField } from './records.js';

/** Fields, and the statements that shaped them beside the poll. */
export interface Composed {
  fields: JsonObject;
  shapedBy: Statement[];
}

/** On each axis the furthest statement that stands strictly further on than the poll. */
export function advance(rules: RecordRules, base: JsonObject, claims: Statement[]): Composed {
  const furthest = furthestOn(rules.main, claims);
  const advances = furthest !== null && isFurther(rules.main, furthest.fields, base);
  const fields = advances ? overlay(rules, base, furthest) : base;
  return advanceSide(rules, { fields, shapedBy: advances ? [furthest] : [] }, claims);
}

/** Every claim over the one before, the furthest last. */
export function compose(rules: RecordRules, claims: Statement[]): Composed {
  const shapedBy = claims.toSorted((a, b) => compareStanding(rules.main, a, b));
  const fields = shapedBy.reduce<JsonObject>((base, statement) => overlay(rules, base, statement), {});
  return advanceSide(rules, { fields, shapedBy }, claims);
}

/** Statements that say of a decisive field what the poll does not, unless that only stands behind it. */
export function doubts({ decisive, side }: RecordRules, base: JsonObject, claims: Statement[]): Statement[] {
  return claims.filter((statement) =>
    decisive.some((name) => {
      const [said, read] = [textField(statement.fields, name), textField(base, name)];
      if (said === null || said === read) return false;
      if (side === null || side.field !== name) return true;
      const [rank, known] = [rankOn(side, said), rankOn(side, read)];
      return rank === null || known === null || rank >= known;
    }),
  );
}

function advanceSide(rules: RecordRules, composed: Composed, claims: Statement[]): Composed {
  const { side } = rules;
  const furthest = side === null ? null : furthestOn(side, claims);
  if (side === null || furthest === null || !isFurther(side, furthest.fields, composed.fields)) return composed;
  return {
    fields: { ...composed.fields, ...pick(furthest.fields, side.travels) },
    shapedBy: [...composed.shapedBy, furthest],
  };
}

/** All that the statement states, over the base; but a side state (a dispute) moves on its own axis alone. */
function overlay({ side }: RecordRules, base: JsonObject, statement: Statement): JsonObject {
  const fields = { ...base, ...statement.fields };
  if (side === null || !Object.hasOwn(statement.fields, side.field)) return fields;
  const known = stateOn(side, base);
  if (known === null || known === stateOn(side, statement.fields)) return fields;
  for (const name of side.travels) delete fields[name];
  return { ...fields, ...pick(base, side.travels) };
}

function furthestOn(axis: Axis, claims: Statement[]): Statement | null {
  return claims.toSorted((a, b) => compareStanding(axis, b, a))[0] ?? null;
}

function compareStanding(axis: Axis, a: Statement, b: Statement): number {
  return standing(axis, a) - standing(axis, b) || compareStatements(a, b);
}

/** For sorting statements among themselves an incomparable state stands before the listed ones, after none at all. */
const standing = (axis: Axis, statement: Statement): number => rankOn(axis, stateOn(axis, statement.fields)) ?? -0.5;

function isFurther(axis: Axis, fields: JsonObject, than: JsonObject): boolean {
  const rank = rankOn(axis, stateOn(axis, fields));
  const base = rankOn(axis, stateOn(axis, than));
  return rank !== null && base !== null && rank > base;
}

function pick(fields: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
