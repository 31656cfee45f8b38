import { canonicalHash, canonicalJson } from '../../domain/canonical-json.js';
import { show } from '../../domain/merge.js';
import { maskPersonal } from '../../domain/personal.js';
import type { Claim, Poll, RecordState } from '../../domain/record-state.js';
import type { RecordKind } from '../../domain/records.js';

/**
 * The same observations without what identifies a person. Their hashes are those of the masked fields: a later reading,
 * masked before it is looked at, says the same. What is shown is the masked form of what was shown, and nothing else; what
 * is reported too, but for what identifies a person and was other than the fields by that alone.
 */
export function maskState(kind: RecordKind, state: RecordState): RecordState {
  const poll = state.poll === null ? null : maskPoll(kind, state.poll);
  const claims = state.claims.map((claim) => maskClaim(kind, claim));
  const masked = { poll, claims: claims.map((claim) => ({ ...claim, hash: hashOf(claim) })) };
  // Of claims of the very same moment the hashes decide which stands on top: they keep theirs where that matters.
  const asBefore = { poll, claims };
  return said(kind, masked) === said(kind, asBefore) ? masked : asBefore;
}

function said(kind: RecordKind, state: RecordState): string {
  const { fields, reported, ownCall, observedBy } = show(kind, state);
  return canonicalJson([fields, reported, ownCall, observedBy.type, observedBy.ref]);
}

function maskPoll(kind: RecordKind, poll: Poll): Poll {
  const before = poll.before === null ? null : maskPoll(kind, poll.before);
  if (poll.fields === null) return { ...poll, before };
  const fields = maskPersonal(kind, poll.fields);
  return { ...poll, fields, hash: canonicalHash(fields), before };
}

function maskClaim(kind: RecordKind, claim: Claim): Claim {
  return { ...claim, fields: maskPersonal(kind, claim.fields) };
}

/** A mention says nothing, and has no hash. */
function hashOf({ hash, fields }: Claim): string {
  return hash === '' ? '' : canonicalHash(fields);
}
