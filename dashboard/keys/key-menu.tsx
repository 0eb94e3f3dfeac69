import { Link } from '@tanstack/react-router';
import {
  CalendarClock,
  ChartColumn,
  Ellipsis,
  KeyRound,
  PencilLine,
  RefreshCw,
  ScrollText,
  Trash2,
} from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { IconButton } from '#dashboard/components/button.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '#dashboard/components/overlay/menu.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useRangeSearch } from '#dashboard/range/range-bar.tsx';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { actionsFor, type KeyAction } from './actions/key-action.ts';

interface KeyMenuProps {
  apiKey: ApiKeySummary;
  onAction: (action: KeyAction) => void;
  /** On the key's own page, which has buttons to rotate and to revoke it. */
  isOnPage?: boolean;
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

/** The views of a key's requests, and the actions on it that the user may take. */
export function KeyMenu({ apiKey, onAction, isOnPage = false }: KeyMenuProps) {
  const { id: organizationId } = useOrganization();
  const range = useRangeSearch();
  const actions = actionsFor(apiKey).filter((kind) => !isOnPage || (kind !== 'rotate' && kind !== 'revoke'));
  return (
    <Menu
      align="end"
      trigger={
        <IconButton label={`Actions for ${apiKey.name}`}>
          <Ellipsis aria-hidden />
        </IconButton>
      }
    >
      {!isOnPage && (
        <MenuLink
          link={
            <Link
              to="/organizations/$organizationId/keys/$keyId"
              params={{ organizationId, keyId: apiKey.id }}
              search={range}
            />
          }
        >
          <KeyRound aria-hidden />
          Open
        </MenuLink>
      )}
      <MenuLink
        link={
          <Link
            to="/organizations/$organizationId/usage"
            params={{ organizationId }}
            search={{ ...range, api_key_id: apiKey.id }}
          />
        }
      >
        <ChartColumn aria-hidden />
        Show usage
      </MenuLink>
      <MenuLink
        link={
          <Link
            to="/organizations/$organizationId/logs"
            params={{ organizationId }}
            search={{ ...range, api_key_id: apiKey.id }}
          />
        }
      >
        <ScrollText aria-hidden />
        Show requests
      </MenuLink>
      {actions.map((kind, index) => (
        <Fragment key={kind}>
          {(index === 0 || kind === 'revoke') && <MenuSeparator />}
          <MenuItem onClick={() => onAction({ kind, apiKey })}>{items[kind]}</MenuItem>
        </Fragment>
      ))}
    </Menu>
  );
}
