import { classNames } from '#dashboard/components/class-names.ts';
import { type ColumnName, columns, isFigureColumn } from './columns.ts';

interface HeadingsProps {
  names: readonly ColumnName[];
  /** Such as "Berlin". */
  zone: string;
}

/** The headings of the columns. */
export function Headings({ names, zone }: HeadingsProps) {
  return names.map((name) => (
    <th
      key={name}
      scope="col"
      className={classNames(
        'truncate text-xs font-medium text-muted',
        isFigureColumn(name) && 'text-right',
        name === 'user' && 'pl-2',
      )}
    >
      {columns[name].title}
      {name === 'time' && <span className="font-normal"> ({zone})</span>}
    </th>
  ));
}

/** The names of the cells of rows with two lines, for screen readers. */
export function NarrowHeadings() {
  return ['Model', 'Cost', 'Time and status', 'Tokens and latency'].map((title) => (
    <th key={title} scope="col">
      {title}
    </th>
  ));
}
