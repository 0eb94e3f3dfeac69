import { useInfiniteQuery } from '@tanstack/react-query';
import { rateLimitListQuery } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { ChangeMenu } from '#dashboard/components/overlay/change-menu.tsx';
import { Row, Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { RateLimitList } from '#lambdas/accounts/organizations/responses.ts';
import type { LimitActions } from './limit-table.tsx';
import { type DefaultName, defaultTitles, limitsText, setLimits } from './limits.ts';

const descriptions: Record<DefaultName, string> = {
  new_keys: 'Whoever creates them, here or with the admin command.',
  member_keys: 'Set them to hold people with the role member to other limits.',
};

interface DefaultLimitsProps {
  defaults: RateLimitList['defaults'];
  /** Null if the user may not change them. */
  actions: LimitActions | null;
}

/** The limits that keys start with. */
export function DefaultLimits({ defaults, actions }: DefaultLimitsProps) {
  return (
    <Section
      title="Default rate limits"
      description="Copied to a key when it is created. A change affects no key that exists."
    >
      {(['new_keys', 'member_keys'] as const).map((name) => (
        <DefaultRow key={name} name={name} defaults={defaults} actions={actions} />
      ))}
    </Section>
  );
}

function DefaultRow({ name, defaults, actions }: DefaultLimitsProps & { name: DefaultName }) {
  const limits = setLimits(defaults[name]);
  const title = defaultTitles[name];
  return (
    <Row label={title} description={descriptions[name]}>
      <div className="flex w-full min-w-0 items-center justify-between gap-3 sm:w-auto sm:text-right">
        {limits ? (
          <span className="min-w-0 tabular-nums sm:max-w-72">{limitsText(limits)}</span>
        ) : (
          <span className="text-muted">{emptyText(name, defaults)}</span>
        )}
        {actions &&
          (limits ? (
            <ChangeMenu
              label={`Actions for the default of ${title.toLowerCase()}`}
              change={() => actions.change({ kind: 'default', name, limits })}
              remove={() => actions.remove({ kind: 'default', name, limits })}
            />
          ) : (
            <Button
              size="small"
              aria-label={`Set the default of ${title.toLowerCase()}`}
              onClick={() => actions.change({ kind: 'default', name, limits })}
            >
              Set
            </Button>
          ))}
      </div>
    </Row>
  );
}

function emptyText(name: DefaultName, { new_keys: newKeys }: RateLimitList['defaults']): string {
  return name === 'member_keys' && setLimits(newKeys) !== null ? 'Like all new keys' : 'None';
}

/** Says which limits a key of the user starts with; nothing without any. */
export function DefaultLimitsNote() {
  const { id: organizationId, role } = useOrganization();
  const list = useInfiniteQuery(rateLimitListQuery(organizationId));
  const defaults = list.data?.pages[0]?.defaults;
  if (defaults === undefined) return null;
  const ofMembers = role === 'member' ? setLimits(defaults.member_keys) : null;
  const limits = ofMembers ?? setLimits(defaults.new_keys);
  if (limits === null) return null;
  return (
    <p className="text-[0.8125rem] text-muted">
      The key starts with the default rate limits of {ofMembers ? 'keys that members create' : 'new keys'}:{' '}
      <span className="text-text tabular-nums">{limitsText(limits)}</span>.
    </p>
  );
}
