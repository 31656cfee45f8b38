const TIME_FIELD = /"(\w+At|timestamp)":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z"/g;

/** The JSON text with the zone left out of its times: what a service says that forgets where it stands. */
export const withoutZone = (text: string): string => text.replace(TIME_FIELD, '"$1":"$2"');
