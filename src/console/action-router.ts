import express, { type Request, type Response, Router } from 'express';
import type { Action, ActionRequest, ActionResult } from './action.js';
import { mayDo } from './authenticate.js';
import { CSRF_FIELD, checkCsrf, checkOrigin } from './csrf.js';
import { setFlash } from './flash.js';
import { keepAction } from './keep-action.js';
import { ownPath } from './page-request.js';
import type { Site } from './page-router.js';
import { Problem } from './problem.js';
import type { Session } from './session.js';
import type { ActionButton } from './view/sections.js';

const LONGEST_REASON = 2_000;

type Form = Readonly<Record<string, unknown>>;

/** A POST route for each action; who may not is refused before anything of the form is looked at. */
export function actionRoutes(site: Site, actions: readonly Action[]): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: '200kb', parameterLimit: 2_000 });
  for (const action of actions) {
    router.post(action.path, form, (req, res) => answer(site, action, { req, res }));
  }
  return router;
}

async function answer(site: Site, action: Action, { req, res }: { req: Request; res: Response }): Promise<void> {
  const session = site.sessions.find(req);
  if (session === null) throw new Problem(401, 'Not signed in', 'Sign in first. Nothing was changed.');
  const form = (req.body ?? {}) as Form;
  checkOrigin(req);
  checkCsrf(session, form[CSRF_FIELD]);
  const asked = await readForm(site, action, { session, form, params: req.params as Record<string, string> });
  if (action.preview && form['_confirmed'] === undefined) {
    const sections = await action.preview(site.deps, asked);
    const button = confirming(action, req.path, form);
    await site.send({ req, res, session }, { title: action.label, view: { sections, actions: [button] } });
    return;
  }
  const result = await action.run(site.deps, asked);
  await keep(site, action, asked, result);
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
    await keep(site, action, { actor, params, input: {}, reason: '' }, { outcome: 'refused', message });
    throw new Problem(403, 'Not allowed', message);
  }
  const reason = typeof form['reason'] === 'string' ? form['reason'].trim().slice(0, LONGEST_REASON) : '';
  if (action.needsReason && reason === '') {
    throw new Problem(
      400,
      'A reason is missing',
      'Say why, in a few words: it is kept beside what you do. Nothing was changed.',
    );
  }
  if (action.input === undefined) return { actor, params, input: {}, reason };
  const input = action.input.safeParse(form);
  if (input.success) return { actor, params, input: input.data, reason };
  const problems = input.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Problem(400, 'Not understood', `${problems.join('; ')}. Nothing was changed.`);
}

async function keep(site: Site, action: Action, asked: ActionRequest, result: ActionResult): Promise<void> {
  const { actor, reason, params, input } = asked;
  const target = result.target ?? Object.values(params).join(' ');
  site.deps.log.info(
    { actor: actor.name, action: action.name, target, outcome: result.outcome },
    'asked for at the console',
  );
  if (result.recorded) return;
  await keepAction(site.deps.db, {
    actor: actor.name,
    action: action.name,
    target: target === '' ? null : target,
    reason: reason === '' ? null : reason,
    details: { ...input, ...result.details, told: result.message },
    outcome: result.outcome,
  });
}

/** The same form once more, to be confirmed below its preview. */
function confirming(action: Action, href: string, form: Form): ActionButton {
  const kept = Object.entries(form).filter(([name]) => name !== CSRF_FIELD);
  const hidden = kept.flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => ({ name, value: String(one) })),
  );
  return {
    href,
    label: action.label,
    explain: action.explain,
    needsReason: false,
    tone: action.tone ?? null,
    fields: [],
    hidden: [...hidden, { name: '_confirmed', value: 'yes' }],
    key: 'confirm',
  };
}
