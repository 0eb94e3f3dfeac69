import { classNames } from '#dashboard/components/class-names.ts';

interface GroupLabelProps {
  /** The value of the group; null for the requests without one. */
  value: string | null;
  name: string;
}

/** The name of a group in one line, muted for the requests without a value. */
export function GroupLabel({ value, name }: GroupLabelProps) {
  return (
    <span title={name} className={classNames('block truncate', value === null && 'font-normal text-muted')}>
      {name}
    </span>
  );
}
