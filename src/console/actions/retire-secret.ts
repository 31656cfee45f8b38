import type { Knex } from 'knex';
import { z } from 'zod';
import { lastAccepted, noSuchSecret } from '../../domain/deliveries/last-secret.js';
import { leakLines } from '../../domain/deliveries/secret-leak.js';
import { retirement } from '../../domain/deliveries/secret-verdict.js';
import { rulesOf } from '../../domain/orders/order-facts.js';
import type { SecretStatus } from '../../domain/views/webhook-shapes.js';
import { inTransaction } from '../../records/database/statements.js';
import { declareLeaked, type LeakAnswer } from '../../records/deliveries/leaked-secrets.js';
import { restoreSecret, retireSecret } from '../../records/deliveries/secrets.js';
import { adoptedAtOf } from '../../records/installation.js';
import { secretsFrom } from '../../records/process-heartbeats.js';
import type { Action, ActionRequest } from '../page.js';
import { verdictWords } from '../view/secret-words.js';
import { facts, noOrYes } from '../view/sections.js';
import { list, text } from '../view/values.js';

const input = z.object({ force: z.enum(['no', 'yes']).default('no') });

export const retireSecretAction: Action = {
  path: '/secrets/:label/retire',
  name: 'retire secret',
  roles: ['operator'],
  label: 'Retire',
  explain:
    'No receiver accepts it any more, within ten seconds. What then still comes under it is refused, and recovered from the delivery history. It can be taken back.',
  tone: 'bad',
  fields: [noOrYes('force', 'If something is missing', ['refuse', 'retire it all the same'])],
  input,
  run: async ({ db, now, secretsStatus }, { actor, params, input: given, reason }) => {
    const { force } = given as z.infer<typeof input>;
    const label = params['label'] ?? '';
    const target = `secret ${label}`;
    const { items } = await secretsStatus();
    const found = items.find((secret) => secret.label === label);
    if (found === undefined)
      return {
        outcome: 'refused',
        target,
        message: `Nothing was changed: ${noSuchSecret(label, await secretsFrom(db))}.`,
      };
    const answer = retirement(found, force === 'yes');
    if (answer === 'already') return { outcome: 'refused', target, message: `“${label}” is retired already.` };
    if (answer === 'refused') {
      const why = `${verdictWords[found.verdict].short}: ${found.missing.join('; ')}`;
      const message = `“${label}” is not retired (${why}). To do it all the same, choose so and say why.`;
      return { outcome: 'refused', target, details: { verdict: found.verdict }, message };
    }
    await retireSecret(db, { label, fingerprint: found.fingerprint, by: actor.name, note: reason, now: now() });
    const message = `“${label}” is retired: every receiver rejects it within ten seconds.`;
    return { outcome: 'done', target, recorded: true, message: await withWarning(db, message, { label, items }) };
  },
};

export const secretLeakedAction: Action = {
  path: '/secrets/:label/leaked',
  name: 'secret leaked',
  roles: ['operator'],
  label: 'It leaked',
  explain:
    'It is retired. What a complete scan of the delivery history lacked of what came under it counts as not sent: it holds no order any more, and the breaks that it opened are resolved.',
  tone: 'bad',
  preview: async (deps, request) => {
    const answer = await inTransaction(deps.db, true, (trx) => leaked({ ...deps, db: trx }, request));
    const warning = lastAccepted(
      request.params['label'] ?? '',
      (await deps.secretsStatus()).items,
      await secretsFrom(deps.db),
    );
    const lines =
      answer.outcome === 'done'
        ? [...(warning === null ? [] : [warning]), ...leakLines(answer.done)]
        : [`Nothing: ${answer.why}.`];
    return [facts([['What comes of it', list(lines.map((line) => text(line)))]])];
  },
  run: async (deps, request) => {
    const label = request.params['label'] ?? '';
    const target = `secret ${label}`;
    const { items } = await deps.secretsStatus();
    const answer = await leaked(deps, request);
    if (answer.outcome === 'refused')
      return { outcome: 'refused', target, message: `What the history lacks proves nothing: ${answer.why}.` };
    const message = `“${label}” is retired as one that leaked; ${leakLines(answer.done).join('; ')}.`;
    return { outcome: 'done', target, recorded: true, message: await withWarning(deps.db, message, { label, items }) };
  },
};

async function withWarning(
  db: Knex,
  message: string,
  { label, items }: { label: string; items: readonly SecretStatus[] },
): Promise<string> {
  const warning = lastAccepted(label, items, await secretsFrom(db));
  return warning === null ? message : `${message} ${warning}.`;
}

async function leaked(
  deps: Parameters<NonNullable<Action['run']>>[0],
  { actor, params, reason }: ActionRequest,
): Promise<LeakAnswer> {
  const { db, now, secretsStatus } = deps;
  const label = params['label'] ?? '';
  const found = (await secretsStatus()).items.find((secret) => secret.label === label);
  if (found === undefined) return { outcome: 'refused', why: noSuchSecret(label, await secretsFrom(db)) };
  const adoptedAt = await adoptedAtOf(db);
  const about = { label, fingerprint: found.fingerprint, by: actor.name, note: reason, now: now() };
  return declareLeaked(db, about, { ...rulesOf(deps), adoptedAt });
}

export const restoreSecretAction: Action = {
  path: '/secrets/:label/restore',
  name: 'restore secret',
  roles: ['operator'],
  label: 'Accept it again',
  explain: 'The retirement is taken back: every receiver accepts events under this secret again, within ten seconds.',
  run: async ({ db }, { actor, params, reason }) => {
    const label = params['label'] ?? '';
    const target = `secret ${label}`;
    const restored = await restoreSecret(db, { label, by: actor.name, note: reason });
    if (!restored) return { outcome: 'refused', target, message: `“${label}” is not retired.` };
    return { outcome: 'done', target, recorded: true, message: `“${label}” is accepted again within ten seconds.` };
  },
};
