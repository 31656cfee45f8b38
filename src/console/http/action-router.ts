import express, { type Request, type Response, Router } from 'express';
import { mayDo } from '../../domain/console-roles.js';
import { recordAction } from '../../records/actions/record-action.js';
import { askFirst } from '../four-eyes.js';
import type { Action, ActionRequest, ActionResult, PageDeps } from '../page.js';
import { Problem } from '../problem.js';
import { decisionHref } from '../view/links.js';
import type { ActionButton } from '../view/sections.js';
import { CSRF_FIELD, checkCsrf, checkOrigin } from './csrf.js';
import { setFlash } from './flash.js';
import { ownPath } from './page-request.js';
import { type Site, sendPage } from './page-router.js';
import type { Session } from './session.js';

const LONGEST_REASON = 2_000;

type Form = Readonly<Record<string, unknown>>;

/** A POST route for each action; who may not is refused before anything of the form is read. */
export function actionRoutes(site: Site, actions: readonly Action[]): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: '200kb', parameterLimit: 2_000 });
  for (const action of actions) {
    router.post(action.path, form, (req, res) => answer(site, action, { req, res }));
  }
  return router;
}

async function answer(site: Site, action: Action, { req, res }: { req: Request; res: Response }): Promise<void> {
  const session = await site.sessions.find(req);
  if (session === null) throw new Problem(401, 'Not signed in', 'Sign in first. Nothing was changed.');
  const form = (req.body ?? {}) as Form;
  checkOrigin(req);
  checkCsrf(session, form[CSRF_FIELD]);
  const asked = await readForm(site, action, { session, form, params: req.params as Record<string, string> });
  if (action.preview && form['_confirmed'] === undefined) {
    const preview = await action.preview(site.deps, asked);
    const { sections, kept } = Array.isArray(preview) ? { sections: preview, kept: {} } : preview;
    const waits = (await askedOf(site, action, asked)) !== null;
    const button = confirming(action, req.path, { ...form, ...kept }, waits);
    await sendPage(site, { req, res, session }, { title: action.label, view: { sections, actions: [button] } });
    return;
  }
  const result = await perform(site, action, asked);
  const tone = result.outcome === 'refused' ? 'bad' : 'good';
  setFlash(req, res, session, { tone, text: result.message });
  res.redirect(303, result.to ?? ownPath(form['_back']));
}

async function readForm(
  site: Site,
  action: Action,
  { session, form, params }: { session: Session; form: Form; params: Record<string, string> },
): Promise<ActionRequest> {
  const { actor } = session;
  if (!mayDo(actor, action.roles)) {
    const message = `This needs the role ${[...action.roles, 'admin'].join(' or ')}; you are signed in with the role ${actor.role}. Nothing was changed.`;
    await keep(site.deps, action, { actor, params, input: {}, reason: '' }, { outcome: 'refused', message });
    throw new Problem(403, 'Not allowed', message);
  }
  const reason = typeof form['reason'] === 'string' ? form['reason'].trim().slice(0, LONGEST_REASON) : '';
  if (action.needsReason !== false && reason === '') {
    const why = 'Say why, in a few words: it is kept beside what you do. Nothing was changed.';
    throw new Problem(400, 'A reason is missing', why);
  }
  if (action.input === undefined) return { actor, params, input: {}, reason };
  const input = action.input.safeParse(form);
  if (input.success) return { actor, params, input: input.data, reason };
  const problems = input.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Problem(400, 'Not understood', `${problems.join('; ')}. Nothing was changed.`);
}

/** What another person has to approve; null: it is done at once. */
async function askedOf({ deps }: Site, action: Action, asked: ActionRequest) {
  return deps.fourEyes ? ((await action.asks?.(deps, asked)) ?? null) : null;
}

/** What is done to records and the row that records it are there together, or neither; only then others are asked. */
async function perform(site: Site, action: Action, asked: ActionRequest): Promise<ActionResult> {
  const waits = await askFirst(site.deps, await askedOf(site, action, asked), asked.actor);
  if (waits?.outcome === 'waits')
    return { outcome: 'asked', message: waits.message, to: decisionHref(waits.decision.id) };
  if (waits !== null) return { outcome: 'refused', message: `Nothing was asked for: ${waits.why}.` };
  if (action.runAlone) return action.runAlone(site.deps, asked);
  const result = await site.deps.db.transaction(async (db) => {
    const result = await action.run?.({ ...site.deps, db }, asked);
    if (result === undefined) throw new Error(`the action ${action.name} does nothing`);
    if (result.recorded !== true) await keep({ ...site.deps, db }, action, asked, result);
    return result;
  });
  await result.afterwards?.(site.deps);
  return result;
}

async function keep(
  { db, log }: Pick<PageDeps, 'db' | 'log'>,
  { name: action }: Action,
  { actor: { name: actor }, reason, params, input }: ActionRequest,
  { outcome, message, target = Object.values(params).join(' '), details }: ActionResult,
): Promise<void> {
  log.info({ actor, action, target: target.slice(0, 200), outcome }, 'console action');
  await recordAction(db, {
    actor,
    action,
    target: target === '' ? null : target,
    reason: reason === '' ? null : reason,
    details: { ...input, ...details, told: message },
    outcome,
  });
}

const APPROVAL = 'FOUR_EYES is on: it is done only after another person’s approval.';

/** The same form once more, to be confirmed beside its preview. */
function confirming(action: Action, href: string, form: Form, waits: boolean): ActionButton {
  const kept = Object.entries(form).filter(([name]) => name !== CSRF_FIELD);
  const hidden = kept.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => ({ name, value: String(one) })),
  );
  return {
    href,
    label: action.label,
    explain: waits ? `${action.explain} ${APPROVAL}` : action.explain,
    needsReason: false,
    tone: action.tone ?? null,
    fields: [],
    hidden: [...hidden, { name: '_confirmed', value: 'yes' }],
    key: 'confirm',
  };
}
