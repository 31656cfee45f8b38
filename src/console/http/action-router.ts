import express, { type Request, type Response, Router } from 'express';
import { mayDo } from '../../domain/console-roles.js';
import { capitalized } from '../../domain/in-words.js';
import { recordAction } from '../../records/actions/record-action.js';
import { askFirst } from '../four-eyes.js';
import type { Action, ActionRequest, ActionResult, PageDeps } from '../page.js';
import { Problem } from '../problem.js';
import { decisionHref } from '../view/links.js';
import type { ActionButton, Section } from '../view/sections.js';
import { CSRF_FIELD, checkCsrf, checkOrigin } from './csrf.js';
import { type Flash, setFlash } from './flash.js';
import { type Form, filledField, ownPath, textIn } from './page-request.js';
import { type Site, sendPage } from './page-router.js';
import type { Session } from './session.js';

const LONGEST_REASON = 2_000;

/** A POST route for each action; who may not is refused before anything of the form is read. */
export function actionRoutes(site: Site, actions: readonly Action[]): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false, limit: '200kb', parameterLimit: 2_000 });
  for (const action of actions) router.post(action.path, form, (req, res) => answer(site, action, { req, res }));
  return router;
}

async function answer(site: Site, action: Action, { req, res }: { req: Request; res: Response }): Promise<void> {
  const session = await site.sessions.find(req);
  if (session === null) throw new Problem(401, 'Not signed in', 'Sign in first. Nothing was changed.');
  const form = (req.body ?? {}) as Form;
  checkOrigin(req);
  checkCsrf(session, form[CSRF_FIELD]);
  const back = ownPath(form['_back']);
  const show = (sections: Section[], button: ActionButton, more: { status?: number; flash?: Flash } = {}) => {
    const view = { sections, actions: [button], crumbs: [{ text: 'Back', href: back }] };
    return sendPage(site, { req, res, session }, { title: action.label, view, ...more });
  };
  const again = (status: number, why: string, wrong: Wrong = {}) => {
    const text = NOTHING.test(why) ? why : `${why} Nothing was changed.`;
    const flash: Flash = { tone: 'bad', text };
    return show([], filledIn(action, req.path, { form, wrong }), { status, flash });
  };

  const read = await readForm(site, action, { session, form, params: req.params as Record<string, string> });
  if ('wrong' in read) return again(400, whyOf(action, read.wrong), read.wrong);
  const { asked } = read;
  if (action.preview && form['_confirmed'] === undefined) {
    const preview = await action.preview(site.deps, asked);
    if ('refused' in preview) return again(409, `This would be refused. ${preview.refused}`);
    const { sections, kept } = Array.isArray(preview) ? { sections: preview, kept: {} } : preview;
    const waits = (await askedOf(site, action, asked)) !== null;
    return show(sections, confirming(action, req.path, { ...form, ...kept }, waits));
  }
  const { outcome, message, to, isOver } = await perform(site, action, asked).finally(site.changed);
  if (outcome === 'refused' && to === undefined && !isOver && isFilledIn(action)) return again(409, message);
  setFlash(req, res, session, { tone: outcome === 'refused' ? 'bad' : 'good', text: message });
  res.redirect(303, to ?? back);
}

/** Said already by who refuses. */
const NOTHING = /^Nothing was |Nothing was changed/;

/** Whether a person has written something that a redirect would lose. */
const isFilledIn = ({ needsReason, fields = [] }: Action): boolean => needsReason !== false || fields.length > 0;

/** What is wrong with a form, by the names of its fields. */
type Wrong = Readonly<Record<string, string>>;

const NO_REASON = 'say why, in a few words: it is kept beside what you do';

async function readForm(
  site: Site,
  action: Action,
  { session, form, params }: { session: Session; form: Form; params: Record<string, string> },
): Promise<{ asked: ActionRequest } | { wrong: Wrong }> {
  const { actor } = session;
  if (!mayDo(actor, action.roles)) {
    const message = `This needs the role ${[...action.roles, 'admin'].join(' or ')}; you are signed in with the role ${actor.role}. Nothing was changed.`;
    await keep(site.deps, action, { actor, params, input: {}, reason: '' }, { outcome: 'refused', message });
    throw new Problem(403, 'Not allowed', message);
  }
  const reason = textIn(form, 'reason').trim().slice(0, LONGEST_REASON);
  const input = action.input?.safeParse(form);
  const wrong = Object.fromEntries([
    ...(input?.error?.issues ?? []).map(({ path, message }) => [String(path[0]), message]),
    ...(action.needsReason !== false && reason === '' ? [['reason', NO_REASON]] : []),
  ]);
  return Object.keys(wrong).length > 0 ? { wrong } : { asked: { actor, params, input: input?.data ?? {}, reason } };
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
  const explain = waits ? `${action.explain} ${APPROVAL}` : action.explain;
  return { ...formOf(action, href, { ...form, _confirmed: 'yes' }), explain, needsReason: false, fields: [] };
}

/** The form as it was filled in, with what is wrong beside each field. */
function filledIn(action: Action, href: string, { form, wrong }: { form: Form; wrong: Wrong }): ActionButton {
  const own = (action.fields ?? []).map((field) => filledField(field, form, errorOf(wrong, field.name)));
  const filled = ['reason', '_confirmed', ...own.map(({ name }) => name)];
  const others = Object.fromEntries(Object.entries(form).filter(([name]) => !filled.includes(name)));
  const reason = { value: textIn(form, 'reason'), error: errorOf(wrong, 'reason') };
  return { ...formOf(action, href, others), fields: own, reason };
}

const errorOf = (wrong: Wrong, name: string) => (name in wrong ? `${capitalized(wrong[name] ?? '')}.` : undefined);

/** What no field shows goes along, hidden. */
function formOf(action: Action, href: string, form: Form): ActionButton {
  const { label, explain, needsReason = true, tone = null } = action;
  const hidden = Object.entries(form)
    .filter(([name]) => name !== CSRF_FIELD)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one) => ({ name, value: String(one) })));
  return { href, label, explain, needsReason, tone, fields: [], hidden, key: 'confirm' };
}

/** In sentences, each field by its label. */
function whyOf({ fields = [] }: Action, wrong: Wrong): string {
  const labelOf = (name: string) => fields.find((field) => field.name === name)?.label ?? capitalized(name);
  const problems = Object.entries(wrong).map(([name, message]) => `${labelOf(name)}: ${message}.`);
  return problems.join(' ');
}
