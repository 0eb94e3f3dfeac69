import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { lazy, type ReactNode, useRef, useState } from 'react';
import { keyListQuery } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import type { KeyAction } from './actions/key-action.ts';
import { KeyTable, KeyTableSkeleton } from './key-table.tsx';

// A dialog is loaded as a whole, with the view of the key that it creates.
const CreateDialog = lazy(() =>
  import('./actions/create-dialog.tsx').then((module) => ({ default: module.CreateDialog })),
);
const ActionDialog = lazy(() =>
  import('./actions/action-dialog.tsx').then((module) => ({ default: module.ActionDialog })),
);

export function KeysView() {
  const organization = useOrganization();
  const keys = useQuery(keyListQuery(organization.id));
  const [isCreating, setCreating] = useState(false);
  const [action, setAction] = useState<KeyAction | null>(null);
  const list = useRef<HTMLElement>(null);
  const mayCreate = isAllowed(organization.role, 'create_keys');

  const createButton = mayCreate && (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      Create key
    </Button>
  );

  return (
    <Page
      title="API Keys"
      description="Applications call models with a key. Each shows what it spends."
      action={keys.data?.data.length !== 0 && createButton}
    >
      <section ref={list} tabIndex={-1} aria-label="Keys">
        {keys.data ? (
          <KeyList keys={keys.data.data} createButton={createButton} onAction={setAction} />
        ) : (
          <>
            {keys.isPending && <Skeleton className="mb-3 h-8.5 w-33" />}
            <Card>
              <QueryStatus query={keys} skeleton={<KeyTableSkeleton />} />
            </Card>
          </>
        )}
        <Footer hasKeys={keys.data?.data.length !== 0} />
      </section>
      <OnceOpened open={isCreating}>
        <CreateDialog open={isCreating} onClose={() => setCreating(false)} />
      </OnceOpened>
      <OnceOpened open={action !== null}>
        <ActionDialog action={action} onClose={() => setAction(null)} focusAfter={list} />
      </OnceOpened>
    </Page>
  );
}

interface KeyListProps {
  keys: readonly ApiKeySummary[];
  createButton: ReactNode;
  onAction: (action: KeyAction) => void;
}

function KeyList({ keys, createButton, onAction }: KeyListProps) {
  const [filter, setFilter] = useState<StateFilter>('active');
  const active = keys.filter(({ state }) => state === 'active');
  const shown = filter === 'active' ? active : keys;
  if (keys.length === 0) return <NoKeys createButton={createButton} />;
  return (
    <>
      <div className="mb-3">
        <StateFilterToggle
          value={filter}
          onValueChange={setFilter}
          counts={{ active: active.length, all: keys.length }}
        />
      </div>
      <Card>
        {shown.length > 0 ? (
          <KeyTable keys={shown} onAction={onAction} />
        ) : (
          <EmptyState icon={KeyRound} title="No active key">
            All keys of this organization are revoked or have expired.
          </EmptyState>
        )}
      </Card>
    </>
  );
}

function NoKeys({ createButton }: { createButton: ReactNode }) {
  return (
    <Card>
      {createButton ? (
        <EmptyState icon={KeyRound} title="Create your first key" action={createButton}>
          With it, any OpenAI client can call every model of this gateway, and each request shows its cost.
        </EmptyState>
      ) : (
        <EmptyState icon={KeyRound} title="No keys yet">
          Members of this organization can create them. Ask an admin if you need to.
        </EmptyState>
      )}
    </Card>
  );
}

function Footer({ hasKeys }: { hasKeys: boolean }) {
  const { api_base_url: apiBaseUrl, key_revocation_seconds: seconds } = useOrganization();
  const baseUrl = `${apiBaseUrl}/ai`;
  return (
    <div className="mt-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-1 text-[0.8125rem] text-muted">
      <p className="flex min-w-0 items-center gap-1">
        <span className="min-w-0">
          Base URL of OpenAI clients: <code className="font-mono text-xs break-all text-text">{baseUrl}</code>
        </span>
        <CopyButton label="Copy base URL" text={baseUrl} />
      </p>
      {hasKeys && <p>A revoked key is refused everywhere within {seconds} seconds.</p>}
    </div>
  );
}

type StateFilter = 'active' | 'all';

interface StateFilterProps {
  value: StateFilter;
  onValueChange: (value: StateFilter) => void;
  counts: Record<StateFilter, number>;
}

const labels: Record<StateFilter, string> = { active: 'Active', all: 'All' };

/** Hides revoked and expired keys, or shows them too. */
function StateFilterToggle({ value, onValueChange, counts }: StateFilterProps) {
  return (
    <ToggleGroup
      aria-label="Keys to show"
      value={[value]}
      onValueChange={([chosen]) => chosen !== undefined && onValueChange(chosen)}
      className="inline-flex gap-0.5 rounded-lg border border-line bg-hover p-0.5"
    >
      {(['active', 'all'] as const).map((filter) => (
        <Toggle
          key={filter}
          value={filter}
          className="flex h-7 items-center gap-1.5 rounded-md px-2.5 text-[0.8125rem] font-medium text-muted transition-colors hover:text-text data-pressed:bg-[light-dark(#fff,#3a3a41)] data-pressed:text-text data-pressed:shadow-card"
        >
          {labels[filter]}
          <span className="tabular-nums">{counts[filter]}</span>
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
