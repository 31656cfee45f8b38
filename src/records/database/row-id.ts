const ROW_ID = /^\d{1,18}$/;

/** Whether a text can be the id of a row of ours: whole, without a sign, and no larger than a bigint holds. */
export function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}
