/** `npm run test:long`: the numbers of real life. */
const isLong = Boolean(process.env['TALLYHOOK_LONG']);

/** How many of something: in most runs as many as find the most in a second, in the long one as many as find more. */
export const sized = (usual: number, long: number): number => (isLong ? long : usual);
