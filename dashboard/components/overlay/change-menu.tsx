import { Ellipsis, PencilLine, Trash2 } from 'lucide-react';
import { IconButton } from '../button.tsx';
import { Menu, MenuItem, MenuSeparator } from './menu.tsx';

interface ChangeMenuProps {
  /** Names the row. */
  label: string;
  change: () => void;
  remove: () => void;
}

/** The menu of a row that can be changed and removed. */
export function ChangeMenu({ label, change, remove }: ChangeMenuProps) {
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={label}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onClick={change}>
        <PencilLine aria-hidden />
        Change
      </MenuItem>
      <MenuSeparator />
      <MenuItem onClick={remove}>
        <span className="flex items-center gap-2.5 text-danger [&>svg]:text-danger">
          <Trash2 aria-hidden />
          Remove
        </span>
      </MenuItem>
    </Menu>
  );
}
