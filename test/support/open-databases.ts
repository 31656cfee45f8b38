/** Databases that this file made and did not drop yet. */
export const openDatabases = new Set<string>();
