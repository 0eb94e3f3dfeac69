/** The order of the groups of a comparison, which the view's link contains. */

export const comparedColumns = ['first', 'second', 'difference', 'change'] as const;

export type ComparedColumn = (typeof comparedColumns)[number];

/** By a column, the highest or the lowest figure first; without one, the largest difference, be it more or less. */
export type ComparedOrder = ComparedColumn | `${ComparedColumn}_asc`;

export const comparedOrders: readonly ComparedOrder[] = comparedColumns.flatMap((column) => [
  column,
  `${column}_asc` as const,
]);

/** The `aria-sort` of a column. */
export type ColumnOrder = 'ascending' | 'descending' | 'other' | null;

/** `other` is that of the column whose size counts. */
export function columnOrder(order: ComparedOrder | undefined, column: ComparedColumn): ColumnOrder {
  if (order === undefined) return column === 'difference' ? 'other' : null;
  if (order === column) return 'descending';
  return order === `${column}_asc` ? 'ascending' : null;
}

/** Returns the order after the title of a column is chosen: the highest first, then the lowest, then by size again. */
export function nextOrder(
  order: ComparedOrder | undefined,
  column: ComparedColumn,
): ComparedOrder | undefined {
  const current = columnOrder(order, column);
  if (current === 'descending') return `${column}_asc`;
  return current === 'ascending' ? undefined : column;
}
