/** A time as a person writes it: `2026-10-31`, `2026-10-31 18:00`, or ISO 8601; in UTC where no zone is given. Null: none. */
export function parseMoment(given: string): Date | null {
  const match = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(given.trim());
  if (match === null) return null;
  const [, day = '', clock = '00:00', zone = 'Z'] = match;
  const moment = new Date(`${day}T${clock}${zone}`);
  return Number.isNaN(moment.getTime()) ? null : moment;
}
