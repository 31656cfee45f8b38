/**
 * SQL of the values that a column has, without null: from one to the next along an index that begins with the column, so
 * that it costs as much as there are values, not rows. Both names go into the text as they are.
 */
export function distinctValues(table: string, column: string): string {
  return `WITH RECURSIVE steps (value) AS (
    (SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL ORDER BY ${column} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${column} FROM ${table} WHERE ${column} > steps.value ORDER BY ${column} LIMIT 1)
    FROM steps WHERE value IS NOT NULL
  ) SELECT value FROM steps WHERE value IS NOT NULL`;
}
