import type { Knex } from 'knex';

interface Part {
  section: string;
  line: string;
}

/** Our schema as text, in an order that depends on names alone: tables with their columns, constraints, indexes. */
export async function dumpSchema(db: Knex): Promise<string> {
  const { rows } = await db.raw<{ rows: Part[] }>(`
    WITH tables AS (
      SELECT oid, relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT LIKE 'migrations%'
    )
    SELECT relname AS section, '  ' || attname || ' ' || format_type(atttypid, atttypmod)
           || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
           || CASE attidentity WHEN 'a' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE '' END
           || coalesce(' DEFAULT ' || pg_get_expr(adbin, adrelid), '') AS line, 1 AS part, attnum::int AS place
    FROM tables JOIN pg_attribute ON attrelid = oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    UNION ALL
    SELECT relname, '  CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid), 2, 0
    FROM tables JOIN pg_constraint ON conrelid = tables.oid AND contype <> 'n'
    UNION ALL
    SELECT relname, '  ' || pg_get_indexdef(indexrelid), 3, 0
    FROM tables JOIN pg_index ON indrelid = tables.oid AND NOT indisprimary
    UNION ALL
    SELECT relname, '  ' || pg_get_triggerdef(pg_trigger.oid), 4, 0
    FROM tables JOIN pg_trigger ON tgrelid = tables.oid AND NOT tgisinternal
    ORDER BY section, part, place, line`);
  const sections = group(rows);
  const text = [...sections].map(([table, parts]) => [`TABLE ${table}`, ...parts.map((part) => part.line)].join('\n'));
  return `-- What the migrations make of an empty database; test/records/schema.test.ts holds it against them.\n\n${text.join('\n\n')}\n`;
}

function group(rows: Part[]): Map<string, Part[]> {
  const groups = new Map<string, Part[]>();
  for (const row of rows) groups.set(row.section, [...(groups.get(row.section) ?? []), row]);
  return groups;
}
