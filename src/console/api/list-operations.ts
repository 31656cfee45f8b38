import { notHere } from '../problem.js';
import { mayKnowPeople } from '../view/personal.js';
import { filtersOf, type ListQuery, listQuery, pageOf } from './list-query.js';
import { type Operation, operation } from './operation.js';
import { type Resource, resources } from './resources.js';

export const listOperations: readonly Operation[] = resources.flatMap((resource) => {
  const one = oneOf(resource);
  return one === null ? [listOf(resource)] : [listOf(resource), one];
});

function listOf(resource: Resource): Operation {
  const { path, group, names, shape, filters, words, personalFilters = [] } = resource;
  return operation({
    id: `list${pascal(path)}`,
    method: 'get',
    path: `/${path}`,
    group,
    summary: `List ${names[1]}`,
    description: `Newest first, paged by key.${personalFilters.length === 0 ? '' : ` Not for viewers: ${personalFilters.join(', ')}.`}`,
    query: listQuery(filtersOf(shape, filters, words)),
    personal: personalFilters,
    answers: { 200: { description: 'A page.', shape: pageOf(shape) } },
    answer: async ({ db }, { actor, query }) => {
      const page = await resource.list(db, { ...asListQuery(query), knowsPeople: mayKnowPeople(actor) });
      return { body: { ...page, items: page.items.map((item) => itemFor(actor, resource, item)) } };
    },
  });
}

function oneOf(resource: Resource): Operation | null {
  const { path, group, names, key = ['id', `The ${names[0]}’s id.`, '1'], shape, detail = shape } = resource;
  if (resource.get === undefined) return null;
  const [name, description, example] = key;
  return operation({
    id: `get${pascal(path).replace(/(ie)?s$/, (end) => (end === 'ies' ? 'y' : ''))}`,
    method: 'get',
    path: `/${path}/{${name}}`,
    group,
    summary: `One ${names[0]}`,
    params: { [name]: { description, example } },
    answers: { 200: { description: `The ${names[0]}.`, shape: detail } },
    refusals: { 404: 'There is no such record here.' },
    answer: async ({ db }, { actor, params }) => {
      const id = params[name] ?? '';
      const item = await resource.get?.(db, id);
      if (!item) throw notHere(`There is no ${names[0]} "${id.slice(0, 80)}" here.`);
      return { body: itemFor(actor, resource, item) };
    },
  });
}

/** As pages show it: viewers see nothing that identifies a person. */
function itemFor(actor: Parameters<typeof mayKnowPeople>[0], { masked }: Resource, item: object): object {
  return masked === undefined || mayKnowPeople(actor) ? item : masked(item);
}

function asListQuery({ take, cursor, ...filters }: Record<string, unknown>): ListQuery {
  return {
    take: take as number | undefined,
    cursor: cursor as string | undefined,
    filters: filters as Record<string, string>,
  };
}

function pascal(path: string): string {
  return path.replaceAll(/(^|-)(\w)/g, (_whole, _dash, letter: string) => letter.toUpperCase());
}
