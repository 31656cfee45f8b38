/**
 * `= anyOf`: one of the elements of an array parameter. The planner does not see into a subquery: a plain `ANY (?)` it would
 * weigh element by element, for every index, at up to the price of running the statement.
 */
export const anyOf = 'ANY (ARRAY(SELECT unnest(?::text[])))';
