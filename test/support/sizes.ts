/** `npm run test:long`: the numbers of real life. */
export const isLong = Boolean(process.env['TALLYHOOK_LONG']);

/** `npm run test:all` and `test:long`: also what `npm test` leaves out. */
export const isAll = isLong || Boolean(process.env['TALLYHOOK_ALL']);

/** How many of something: in most runs as many as find the most in a second, in the long one as many as find more. */
export const sized = (usual: number, long: number): number => (isLong ? long : usual);
