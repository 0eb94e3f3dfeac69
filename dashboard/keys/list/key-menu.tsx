import { CalendarClock, Ellipsis, PencilLine, RefreshCw, Trash2 } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { actionsFor, type KeyAction } from '../actions/key-action.ts';

interface KeyMenuProps {
  apiKey: ApiKeySummary;
  onAction: (action: KeyAction) => void;
}

const items: Record<KeyAction['kind'], ReactNode> = {
  rename: (
    <>
      <PencilLine aria-hidden />
      Rename
    </>
  ),
  expire: (
    <>
      <CalendarClock aria-hidden />
      Change expiry
    </>
  ),
  rotate: (
    <>
      <RefreshCw aria-hidden />
      Rotate
    </>
  ),
  revoke: (
    <span className="flex items-center gap-2.5 text-danger [&>svg]:text-danger">
      <Trash2 aria-hidden />
      Revoke
    </span>
  ),
};

/** The actions on a key that the user may take. */
export function KeyMenu({ apiKey, onAction }: KeyMenuProps) {
  const actions = actionsFor(apiKey);
  if (actions.length === 0) return null;
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={`Actions for ${apiKey.name}`}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {actions.map((kind) => (
        <Fragment key={kind}>
          {kind === 'revoke' && <MenuSeparator />}
          <MenuItem onClick={() => onAction({ kind, apiKey })}>{items[kind]}</MenuItem>
        </Fragment>
      ))}
    </Menu>
  );
}
