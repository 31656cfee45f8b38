import { canonicalJson } from '../canonical-json.js';
import { isJsonObject, type Json, type JsonObject } from '../json.js';

/** One field of a break's evidence. Null: that side says nothing. */
export interface EvidenceField {
  name: string;
  ours: Json;
  theirs: Json;
  /** Where the service's side is known from; null: as the rest of that side. */
  source: Json;
  /** Both sides say something, and not the same. */
  differs: boolean;
}

export interface EvidenceSides {
  fields: EvidenceField[];
  /** Where each side is known from as a whole; null where it has no fields of its own. */
  knownFrom: Record<'ours' | 'theirs', Json> | null;
  /** What else is said, beside the two sides. */
  besides: (readonly [name: string, value: Json])[];
}

/** Evidence field by field: those of the sides `ours` and `theirs`, and those that have both sides themselves, as `finding` says them. */
export function evidenceSides(evidence: JsonObject): EvidenceSides {
  const { ours: givenOurs = null, theirs: givenTheirs = null, ...rest } = evidence;
  const [ours, theirs] = [sideOf(givenOurs), sideOf(givenTheirs)];
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((name) => name !== 'source');
  const single = Object.entries(rest).filter((entry): entry is [string, FieldSides] => isSides(entry[1]));
  const known = { ours: ours['source'] ?? null, theirs: theirs['source'] ?? rest['source'] ?? null };
  return {
    fields: [
      ...names.map((name) => fieldOf(name, { ours: ours[name] ?? null, theirs: theirs[name] ?? null })),
      ...single.map(([name, sides]) => fieldOf(name, sides, sides['source'])),
    ],
    knownFrom: names.length === 0 ? null : known,
    besides: Object.entries(rest).filter(([name, value]) => name !== 'source' && !isSides(value)),
  };
}

type FieldSides = JsonObject & Record<'ours' | 'theirs', Json>;

function isSides(value: Json | undefined): value is FieldSides {
  return isJsonObject(value) && 'ours' in value && 'theirs' in value;
}

function fieldOf(name: string, { ours, theirs }: Record<'ours' | 'theirs', Json>, source: Json = null): EvidenceField {
  const isSaid = ours !== null && theirs !== null;
  return { name, ours, theirs, source, differs: isSaid && canonicalJson(ours) !== canonicalJson(theirs) };
}

/** A side that is one value and not an object has no names of its own. */
function sideOf(given: Json): JsonObject {
  if (isJsonObject(given)) return given;
  return given === null ? {} : { value: given };
}
