import type { Actor } from '../../domain/console-roles.js';
import { mayKnowPeople } from './personal.js';

/** An action's details as the actor may see them. A closing keeps the fingerprints of the secrets, which are not for viewers. */
export function detailsFor(actor: Pick<Actor, 'role'>, details: Record<string, unknown>): Record<string, unknown> {
  return mayKnowPeople(actor) ? details : withoutSecrets(details);
}

export function withoutSecrets(details: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(details).filter(([name]) => name !== 'secrets'));
}
