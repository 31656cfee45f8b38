import { grouped } from '../../domain/grouped.js';
import { fieldOf, type Kind, kinds, type RecordKind, recordKinds, unitField } from '../../domain/kinds/kinds.js';

/** How the records of one kind are shown: its list and the page of one of them are made of this. */
export interface Sheet extends NonNullable<Kind['page']> {
  kind: RecordKind;
  path: Kind['href'];
  /** Fields of the page, together as they are read together. Whatever a record has besides comes in a last group. */
  groups: readonly { title: string; fields: readonly string[] }[];
}

/** Every kind whose pages are made so, in the order of the navigation. */
export const sheets: readonly Sheet[] = recordKinds.flatMap((kind) => {
  const { href, page, fields } = kinds[kind];
  if (page === undefined) return [];
  const titles = grouped(Object.keys(fields), (name) => fields[name]?.group);
  const groups = [...titles].flatMap(([title, names]) => (title === undefined ? [] : [{ title, fields: names }]));
  const units = page.columns.flatMap((name) => unitField(fieldOf(kind, name)) ?? []);
  const filters = [...new Set([...page.filters, ...units.filter((name) => fields[name]?.column)])];
  return [{ ...page, kind, path: href, groups, filters }];
});

export const sheetOf = (kind: RecordKind): Sheet | null => sheets.find((sheet) => sheet.kind === kind) ?? null;
